import DocumentModel
import DocumentSync
import Testing

@Suite struct SyncPlannerTests {
    private var scene = Scene()

    @Test("Sides that agree need nothing")
    mutating func agreement() throws {
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        #expect(scene.plan().operations == [])
    }

    @Test(
        "DOWN-3: newer contents of the remote are fetched when somebody wants them")
    mutating func remoteChanged() throws {
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        try scene.there("a", "a.txt", version: 2)
        #expect(scene.plan().operations == [])
        var circumstances = SyncPlanner.Circumstances()
        circumstances.wanted = [try ItemIdentifier("a")]
        #expect(scene.plan(circumstances).operations == [.fetch(try ItemIdentifier("a"), version: [2], replacing: 1)])
    }

    @Test("VER-14: a change here is sent with the version that it began from")
    mutating func localChanged() throws {
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        try scene.here("a", "a.txt", revision: 2)
        #expect(scene.plan().operations == [.send(try ItemIdentifier("a"), base: [1], revision: 2)])
    }

    @Test("VER-2: contents that changed on both sides are compared before anything is sent")
    mutating func bothChanged() throws {
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        try scene.here("a", "a.txt", revision: 2)
        try scene.there("a", "a.txt", version: 3)
        #expect(scene.plan().operations == [.compare(try ItemIdentifier("a"), version: [3], revision: 2)])
    }

    @Test("VER-15: an edit survives a deletion, on either side; what nobody changed goes")
    mutating func deletion() throws {
        let id = try ItemIdentifier("a")
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        scene.trees.remote[id] = .gone
        guard case .remove(id, _)? = scene.plan().operations.first else { throw Unexpected() }
        try scene.here("a", "a.txt", revision: 2)
        #expect(scene.plan().operations == [.revive(id)])
        try scene.there("a", "a.txt", version: 1)
        scene.trees.local[id] = .gone
        #expect(scene.plan().operations == [.delete(id, base: [1])])
        try scene.there("a", "a.txt", version: 2)
        #expect(scene.plan().operations == [.restore(id)])
    }

    @Test("VER-15: what was changed here and is just out of the way comes back to its name before it is made anew")
    mutating func parkedSurvivor() throws {
        let id = try ItemIdentifier("i0")
        try scene.agree("i0", "a", version: 1, revision: 1)
        try scene.here("i0", "a (moving)", revision: 2)
        let aside = try scene.place("a (moving)")
        scene.trees.local[id] = .present(
            SyncTrees.Local(place: aside, kind: .document, revision: 2, isParked: true))
        scene.trees.remote[id] = .gone
        #expect(
            scene.plan().operations == [.relocateHere(id, from: aside, to: try scene.place("a"), parked: false)])
        // Somebody has made something of its name.
        try scene.here("i1", "a", revision: 1)
        let places = scene.plan().operations.compactMap { operation -> SyncPlace? in
            if case .relocateHere(id, _, let place, false) = operation { place } else { nil }
        }
        #expect(places.count == 1)
        #expect(places.first?.name.rawValue.hasPrefix("a (conflict ") == true, "\(places)")
    }

    @Test("RS-8: what nothing is known of is not deleted")
    mutating func unknownIsNotGone() throws {
        let id = try ItemIdentifier("a")
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        scene.trees.remote[id] = nil
        #expect(scene.plan().operations == [])
        try scene.there("a", "a.txt", version: 1)
        scene.trees.local[id] = nil
        #expect(scene.plan().operations == [])
    }

    @Test("A folder that was deleted there stays when something below it was changed here, and goes when nothing was")
    mutating func deletedFolder() throws {
        let (folder, inner) = (try ItemIdentifier("f"), try ItemIdentifier("i"))
        try scene.agree("f", "folder")
        try scene.agree("i", "inner", in: "f", version: 1, revision: 1)
        scene.trees.remote[folder] = .gone
        scene.trees.remote[inner] = .gone
        guard case .remove(inner, _)? = scene.plan().operations.first else { throw Unexpected() }
        #expect(scene.plan().waits[folder] == inner)
        try scene.here("i", "inner", in: "f", revision: 2)
        #expect(scene.plan().operations == [.revive(folder), .revive(inner)])
    }

    @Test("A folder that was deleted here is shown again when something below it was changed there")
    mutating func restoredFolder() throws {
        let (folder, inner) = (try ItemIdentifier("f"), try ItemIdentifier("i"))
        try scene.agree("f", "folder")
        try scene.agree("i", "inner", in: "f", version: 1)
        scene.trees.local[folder] = .gone
        scene.trees.local[inner] = .gone
        #expect(scene.plan().operations == [.delete(inner, base: [1])])
        try scene.there("i", "inner", in: "f", version: 2)
        #expect(scene.plan().operations == [.restore(folder), .restore(inner)])
    }

    @Test("A move made here is sent; one that the remote made too is the remote's")
    mutating func moves() throws {
        let id = try ItemIdentifier("a")
        try scene.agree("a", "a.txt", version: 1, revision: 1)
        try scene.here("a", "b.txt", revision: 1)
        let (old, new, third) = (try scene.place("a.txt"), try scene.place("b.txt"), try scene.place("c.txt"))
        #expect(scene.plan().operations == [.relocate(id, from: old, to: new)])
        try scene.there("a", "c.txt", version: 1)
        #expect(scene.plan().operations == [.relocateHere(id, from: new, to: third, parked: false)])
    }

    @Test("Two folders that were moved into each other, one here and one there: the remote's move stands")
    mutating func moveCircle() throws {
        let a = try ItemIdentifier("a")
        let b = try ItemIdentifier("b")
        try scene.agree("a", "a")
        try scene.agree("b", "b")
        try scene.there("a", "a", in: "b")
        try scene.here("b", "b", in: "a")
        #expect(
            scene.plan().operations
                == [.relocateHere(b, from: try scene.place("b", in: "a"), to: try scene.place("b"), parked: false)])
        #expect(scene.plan().waits[a] == b)
    }

    @Test("Two names that changed places on the remote do so here by way of a third")
    mutating func swap() throws {
        try scene.agree("a", "a", version: 1)
        try scene.agree("b", "b", version: 2)
        try scene.there("a", "b", version: 1)
        try scene.there("b", "a", version: 2)
        let parked = scene.plan().operations.filter {
            if case .relocateHere(_, _, _, true) = $0 { true } else { false }
        }
        #expect(parked.count == 1)
        #expect(scene.plan().operations.count == 1)
    }

    @Test("CONT-12: of names that differ only by case or Unicode form one is shown, on every machine the same")
    mutating func clash() throws {
        try scene.there("x", "É.txt", version: 1)
        try scene.there("y", "e\u{301}.txt", version: 2)
        let plan = scene.plan()
        #expect(plan.clashes == [try ItemIdentifier("y"): try ItemIdentifier("x")])
        #expect(plan.operations.map(\.id) == [try ItemIdentifier("x"), try ItemIdentifier("y")])
        guard case .place? = plan.operations.first, case .hide? = plan.operations.last else { throw Unexpected() }
    }

    @Test("VER-2: two documents made under one name are compared; a folder and a document both stay, under two names")
    mutating func madeOnBothSides() throws {
        try scene.here("n", "new", revision: 1)
        try scene.there("r", "new", version: 2)
        #expect(scene.plan().operations == [.identify(try ItemIdentifier("n"), as: try ItemIdentifier("r"))])
        try scene.here("n", "new", kind: .folder)
        guard case .relocateHere(_, _, let place, false)? = scene.plan().operations.first else { throw Unexpected() }
        #expect(place.name.rawValue == "new (conflict 1970-01-01 00.00.00)")
    }

    @Test("COORD: members of a package are contents of it, and nothing of their own")
    mutating func package() throws {
        try scene.agree("p", "p.pkg", kind: .package, version: 1, revision: 1)
        try scene.agree("m", "member", in: "p", version: 1, revision: 1)
        try scene.here("m", "member", in: "p", revision: 2)
        #expect(scene.plan().operations == [])
        try scene.here("p", "p.pkg", kind: .package, revision: 2)
        #expect(scene.plan().operations == [.send(try ItemIdentifier("p"), base: [1], revision: 2)])
    }

    @Test("CONT-13: many deletions at once need a yes, and a yes is for those alone", arguments: [true, false])
    mutating func guarded(here: Bool) throws {
        for number in 0..<10 { try scene.agree("i\(number)", "n\(number)", version: 1, revision: 1) }
        for id in scene.trees.identifiers.prefix(6) {
            if here { scene.trees.remote[id] = .gone } else { scene.trees.local[id] = .gone }
        }
        var circumstances = SyncPlanner.Circumstances()
        circumstances.deletionGuard = DeletionGuard(minimum: 5, percent: 50)
        let plan = scene.plan(circumstances)
        #expect(plan.operations == [])
        #expect(plan.question?.all.count == 6)
        circumstances.approved = Set(scene.trees.identifiers.prefix(6))
        #expect(scene.plan(circumstances).operations.count == 6)
        circumstances.approved = Set(scene.trees.identifiers.prefix(1))
        #expect(scene.plan(circumstances).operations.count == 1, "the other five of ten ask again")
    }
}

struct Unexpected: Error {}

/// Three trees, told item by item.
struct Scene {
    var trees = SyncTrees()

    func place(_ name: String, in folder: String = "/") throws -> SyncPlace {
        SyncPlace(parentID: try ItemIdentifier(folder), name: try ItemName(name))
    }

    private func kind(_ version: UInt8?, _ kind: ItemKind?) -> ItemKind {
        kind ?? (version == nil ? .folder : .document)
    }

    mutating func agree(
        _ id: String, _ name: String, in folder: String = "/", kind: ItemKind? = nil, version: UInt8? = nil,
        revision: UInt64? = nil
    ) throws {
        try there(id, name, in: folder, kind: kind, version: version)
        try here(id, name, in: folder, kind: kind ?? (version == nil ? .folder : .document), revision: revision)
        trees.synced[try ItemIdentifier(id)] = .init(
            place: try place(name, in: folder), kind: self.kind(version, kind), version: version.map { [$0] } ?? [],
            revision: revision)
    }

    mutating func there(
        _ id: String, _ name: String, in folder: String = "/", kind: ItemKind? = nil, version: UInt8? = nil
    ) throws {
        trees.remote[try ItemIdentifier(id)] = .present(
            .init(
                place: try place(name, in: folder), kind: self.kind(version, kind), version: version.map { [$0] } ?? [])
        )
    }

    mutating func here(
        _ id: String, _ name: String, in folder: String = "/", kind: ItemKind? = nil, revision: UInt64? = nil
    ) throws {
        let known = trees.remote[try ItemIdentifier(id)]?.node?.kind
        trees.local[try ItemIdentifier(id)] = .present(
            .init(place: try place(name, in: folder), kind: kind ?? known ?? .document, revision: revision))
    }

    func plan(_ circumstances: SyncPlanner.Circumstances = .init()) -> SyncPlan {
        SyncPlanner.plan(trees, circumstances)
    }
}
