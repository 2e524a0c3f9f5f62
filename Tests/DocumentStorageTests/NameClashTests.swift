import DocumentModel
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

struct NameClashTests {
    @Test(
        "Names clash that differ by case or Unicode form only",
        arguments: [
            ("a.txt", "A.TXT"), ("é", "e\u{301}"), ("É", "e\u{301}"), ("straße", "STRASSE"), ("ΣΑΣ", "σας"),
            ("\u{212B}", "å"), ("ﬁ", "FI"), ("Ǆ", "ǆ"),
        ])
    func equalKeys(one: String, other: String) throws {
        #expect(try FoldedName(ItemName(one)).text == FoldedName(ItemName(other)).text)
        #expect(try FoldedName(ItemName(one)).text.utf8.elementsEqual(FoldedName(ItemName(other)).text.utf8))
    }

    @Test("Other names do not clash", arguments: [("a", "b"), ("a", "ä"), ("o", "ø"), ("a", "a "), ("ı", "l")])
    func otherKeys(one: String, other: String) throws {
        #expect(try !FoldedName(ItemName(one)).text.utf8.elementsEqual(FoldedName(ItemName(other)).text.utf8))
    }

    @Test("CONT-12: the later one of two is hidden with an error, and shown once the other is gone")
    func clash() throws {
        let storage = try StorageFixture()
        let first = try storage.item("1", "Notes.txt", contents: "one")
        try storage.tell(first)
        let outcome = try storage.tell(storage.item("2", "notes.txt", contents: "two"))
        #expect(outcome.clashes.map(\.rawValue) == ["2"])
        #expect(try storage.indexed("2").state == .nameClash)
        #expect(try storage.placeholder("notes.txt") == nil)
        let error = #expect(throws: DocumentError.self) {
            try storage.store.beginMaterialising(ItemIdentifier("2"), in: storage.domain)
        }
        #expect(error?.code == .nameClash)
        try storage.provide(first, "one")
        #expect(try storage.document("Notes.txt") == "one")

        let page = try storage.index.read { try $0.children(of: .root, in: storage.domain, limit: 10) }
        #expect(page.items.map(\.state) == [.materialised, .nameClash])

        _ = try storage.store.apply(
            ItemChanges(updated: [], deleted: [ItemIdentifier("1")], anchor: SyncAnchor([1])), in: storage.domain)
        #expect(try storage.indexed("2").state == .placeholder)
        #expect(try storage.document("Notes.txt") == nil)
        #expect(try storage.placeholder("notes.txt")?.id.rawValue == "2")
    }

    @Test("CONT-12: a rename into a taken name waits at its old place, and follows when the name is free")
    func renameIntoClash() throws {
        let storage = try StorageFixture()
        let moving = try storage.item("2", "other.txt", contents: "two")
        try storage.tell(storage.item("1", "Notes.txt"), moving)
        try storage.provide(moving, "two")
        let outcome = try storage.tell(storage.item("2", "notes.txt", contents: "two"))
        #expect(outcome.clashes.map(\.rawValue) == ["2"])
        let waiting = try storage.indexed("2")
        #expect(waiting.item.name?.rawValue == "other.txt")
        #expect(waiting.wanted?.name.rawValue == "notes.txt")
        #expect(waiting.problem?.code == .nameClash)
        #expect(waiting.state == .materialised)
        #expect(try storage.document("other.txt") == "two")

        try storage.tell(storage.item("1", "Elsewhere.txt"))
        let now = try storage.indexed("2")
        #expect(now.item.name?.rawValue == "notes.txt")
        #expect(now.wanted == nil)
        #expect(now.problem == nil)
        #expect(try storage.document("notes.txt") == "two")
        #expect(try storage.document("other.txt") == nil)
    }

    @Test("Names that are exchanged, also in a ring, all arrive", arguments: [2, 3, 5])
    func ring(length: Int) throws {
        let storage = try StorageFixture()
        for number in 0..<length {
            let item = try storage.item("\(number)", "n\(number)", contents: "contents \(number)")
            try storage.tell(item)
            try storage.provide(item, "contents \(number)")
        }
        let changes = ItemChanges(
            updated: try (0..<length).map {
                try storage.item("\($0)", "n\(($0 + 1) % length)", contents: "contents \($0)")
            }, deleted: [], anchor: try SyncAnchor([1]))
        let outcome = try storage.store.apply(changes, in: storage.domain)
        #expect(outcome.clashes.isEmpty)
        for number in 0..<length {
            #expect(try storage.document("n\((number + 1) % length)") == "contents \(number)")
            #expect(try storage.indexed("\(number)").state == .materialised)
            #expect(try storage.indexed("\(number)").wanted == nil)
        }
    }

    @Test("CONT-12: a hidden item that is shown where others wait for its name closes no ring that nobody looks at")
    func ringOfHidden() throws {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("holder", "a.txt"), storage.item("hidden", "a.txt"), storage.item("3", "d.txt"),
            storage.item("5", "c.txt"))
        // Each waits for the next one, and the last one for the name that hides the first.
        try storage.tell(storage.item("hidden", "d.txt"))
        try storage.tell(storage.item("3", "c.txt"))
        try storage.tell(storage.item("5", "a.txt"))
        #expect(try storage.indexed("hidden").state == .nameClash)
        try storage.tell(storage.item("holder", "elsewhere.txt"))
        for (id, name) in [("hidden", "d.txt"), ("3", "c.txt"), ("5", "a.txt"), ("holder", "elsewhere.txt")] {
            let now = try storage.indexed(id)
            #expect(now.item.name?.rawValue == name && now.wanted == nil && now.state == .placeholder, "\(id)")
        }
    }

    @Test("A chain of renames in any order arrives")
    func chain() throws {
        let storage = try StorageFixture()
        for number in 0..<4 { try storage.tell(storage.item("\(number)", "n\(number)")) }
        try storage.tell(
            storage.item("0", "n1"), storage.item("1", "n2"), storage.item("2", "n3"), storage.item("3", "n4"))
        for number in 0..<4 {
            #expect(try storage.indexed("\(number)").item.name?.rawValue == "n\(number + 1)")
        }
    }

    @Test("A file that belongs to nobody, at the new name's place, keeps the item where it is")
    func strangerInTheWay() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "mine")
        try storage.tell(item)
        try storage.provide(item, "mine")
        try storage.write("stranger", to: storage.tree.path(of: storage.location("b.txt")))
        try storage.tell(storage.item("a", "b.txt", contents: "mine"))
        #expect(try storage.document("a.txt") == "mine")
        #expect(try storage.document("b.txt") == "stranger")
        let item2 = try storage.indexed("a")
        #expect(item2.item.name?.rawValue == "a.txt")
        #expect(item2.wanted?.name.rawValue == "b.txt")
        #expect(item2.problem?.code == .destinationExists)
        #expect(try storage.edit("a", "edited").state == .changed)

        // The stranger moves away, and the item follows at the next start.
        try FileSystemMoves.rename(
            storage.tree.path(of: storage.location("b.txt")), storage.folder.appending("stranger"))
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("b.txt") == "edited")
        #expect(try storage.indexed("a").wanted == nil)
    }

    @Test(
        "CONT-12: where a file that is nobody's keeps an item from its new name, what has come to its old one steps back",
        arguments: [true, false])
    func strayInTheWay(isHere: Bool) throws {
        let storage = try StorageFixture()
        let moving = try storage.item("m", "b.txt", contents: "moving")
        let next = try storage.item("n", "c.txt", contents: "next")
        try storage.tell(moving, next)
        try storage.provide(moving, "moving")
        if isHere { try storage.provide(next, "next") }
        let stray = try storage.tree.path(of: storage.location("a.txt"))
        try storage.write("nobody's", to: stray)
        let told = (
            try storage.item("m", "a.txt", contents: "moving"), try storage.item("n", "b.txt", contents: "next"),
            try storage.item("new", "c.txt", contents: "new")
        )
        try storage.tell(told.0, told.1, told.2)
        #expect(try storage.indexed("m").item.name?.rawValue == "b.txt")
        #expect(try storage.document("b.txt") == "moving")
        #expect(try storage.document("a.txt") == "nobody's")
        if isHere { #expect(try storage.document("c.txt") == "next") }
        // Looked at, nothing of it counts as changed.
        for id in ["m", "n"] {
            _ = try storage.store.recordChange(of: ItemIdentifier(id), in: storage.domain)
            #expect(try storage.indexed(id).state != .changed, "\(id)")
        }
        // The provider tells the same again, as in each listing.
        try storage.tell(told.0, told.1, told.2)
        #expect(try storage.document("b.txt") == "moving")
        #expect(unlink(stray.string) == 0)
        try storage.reopen()
        _ = try storage.store.reconcile()
        for (id, name) in [("m", "a.txt"), ("n", "b.txt"), ("new", "c.txt")] {
            let item = try storage.indexed(id)
            #expect(
                item.item.name?.rawValue == name && item.state != .nameClash && item.problem == nil, "\(id): \(item)")
        }
        #expect(try storage.document("a.txt") == "moving")
        #expect(try storage.document("b.txt") == (isHere ? "next" : nil))
    }

    private func names(_ ids: String..., of storage: StorageFixture) throws -> [String?] {
        try ids.map { try storage.indexed($0).item.name?.rawValue }
    }

    @Test(
        "CONT-12: of what an item was told to be called one after the other the last one counts, whatever becomes free")
    func lastWishCounts() throws {
        let storage = try StorageFixture()
        for id in ["q", "h", "y", "z"] { try storage.tell(storage.item(id, "\(id).txt", contents: id)) }
        func told(_ id: String, _ name: String) throws -> Item { try storage.item(id, "\(name).txt", contents: id) }
        try storage.tell(told("q", "h"))
        #expect(try names("q", of: storage) == ["q.txt"])
        try storage.tell(told("h", "z"), told("q", "y"), told("z", "w"), told("y", "v"))
        #expect(try names("q", "h", "y", "z", of: storage) == ["y.txt", "z.txt", "v.txt", "w.txt"])
        #expect(try storage.indexed("q").wanted == nil)
    }

    @Test(
        "CONT-12: what has left a folder that goes, for another one of its name, goes there with its contents, and nothing goes into the trash",
        arguments: [false, true])
    func leftForNamesake(leavesOthers: Bool) throws {
        let storage = try StorageFixture()
        let (moving, other) = (
            try storage.item("a", "a.txt", in: "old", contents: "text"),
            try storage.item("b", "b.txt", in: "old", contents: "other")
        )
        try storage.tell(storage.item("old", "F", kind: .folder), moving, other)
        try storage.provide(moving, "text")
        if leavesOthers { try storage.provide(other, "other") }
        try storage.tell(storage.item("new", "F", kind: .folder))
        try storage.tell(storage.item("a", "a.txt", in: "new", contents: "text"))
        #expect(try storage.document("F/a.txt") == "text")
        _ = try storage.store.apply(
            ItemChanges(
                updated: [], deleted: [ItemIdentifier("b"), ItemIdentifier("old")], anchor: SyncAnchor([1])),
            in: storage.domain)
        let known = try storage.indexed("a")
        #expect(known.state == .materialised && known.item.parentID?.rawValue == "new")
        #expect(known.item.name?.rawValue == "a.txt")
        #expect(try storage.document("F/a.txt") == "text")
        #expect(try storage.index.read { try $0.trashStatus().documents } == (leavesOthers ? 1 : 0))
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("CONT-12: a name that became free goes to who wants it still, and not to who wanted it once")
    func formerWish() throws {
        let storage = try StorageFixture()
        for id in ["q", "r", "h", "y"] { try storage.tell(storage.item(id, "\(id).txt", contents: id)) }
        func told(_ id: String, _ name: String) throws -> Item { try storage.item(id, "\(name).txt", contents: id) }
        try storage.tell(told("q", "h"))
        try storage.tell(told("r", "h"))
        try storage.tell(told("q", "y"), told("h", "g"))
        #expect(try names("q", "r", "h", "y", of: storage) == ["q.txt", "h.txt", "g.txt", "y.txt"])
        #expect(try storage.indexed("q").wanted?.name.rawValue == "y.txt")
    }

    @Test(
        "CONT-12: where what has come to an item's old name cannot step back, its file is known to be there all the same"
    )
    func folderInTheWay() throws {
        let storage = try StorageFixture()
        let moving = try storage.item("m", "b", contents: "moving")
        try storage.tell(moving)
        try storage.provide(moving, "moving")
        let stray = try storage.tree.path(of: storage.location("a"))
        try storage.write("nobody's", to: stray)
        try storage.tell(storage.item("m", "a", contents: "moving"), storage.item("f", "b", kind: .folder))
        let now = try storage.store.recordChange(of: ItemIdentifier("m"), in: storage.domain)
        #expect(now.state == .materialised && now.problem != nil, "\(now)")
        #expect(try storage.document("b") == "moving")
        #expect(try storage.document("a") == "nobody's")
        #expect(unlink(stray.string) == 0)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("a") == "moving")
        #expect(try names("m", "f", of: storage) == ["a", "b"])
        #expect(try storage.indexed("m").state == .materialised)
    }

    @Test("CONT-12: what could not be moved to one place is not taken for what lies there when it is to move on")
    func movedOn() throws {
        let storage = try StorageFixture()
        let moving = try storage.item("m", "b.txt", contents: "moving")
        try storage.tell(moving)
        try storage.provide(moving, "moving")
        let open = Mutex<[JournalEntry]>([])
        storage.store.follower.handOver { work in open.withLock { $0 += work } }
        for name in ["a.txt", "d.txt"] { try storage.tell(storage.item("m", name, contents: "moving")) }
        try storage.write("nobody's", to: storage.tree.path(of: storage.location("a.txt")))
        for entry in open.withLock({ $0 }) { try? storage.store.perform(entry) }
        #expect(try storage.document("a.txt") == "nobody's")
        storage.store.follower.handOver(to: nil)
        _ = try storage.store.recordChange(of: ItemIdentifier("m"), in: storage.domain)
        #expect(try storage.indexed("m").state == .materialised)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("d.txt") == "moving")
        #expect(try storage.document("a.txt") == "nobody's")
        #expect(try storage.indexed("m").state == .materialised)
    }
}
