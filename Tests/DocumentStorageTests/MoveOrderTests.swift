import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Moves that the tree on disk has not followed yet, while others are recorded, and carried out.
struct MoveOrderTests {
    private let storage: StorageFixture
    private static let names = ["p", "q", "r"]

    init() throws {
        storage = try StorageFixture()
        // Somebody uses all of them.
        storage.store.follower.handOver { _ in }
    }

    private func make(_ kind: ItemKind) throws {
        for name in Self.names {
            let item = try storage.item(name, name, kind: kind, contents: kind == .folder ? nil : "orig \(name)")
            try storage.tell(item)
            guard kind == .folder else {
                try storage.provide(item, "orig \(name)")
                continue
            }
            let document = try storage.item("\(name).f", "f.txt", in: name, contents: "orig \(name)")
            try storage.tell(document)
            try storage.provide(document, "orig \(name)")
        }
    }

    /// An item as its provider tells of it once it has another name.
    private func named(_ id: String, _ name: String, _ version: String) throws -> Item {
        var item = try storage.indexed(id).item
        item.name = try ItemName(name)
        item.version = try ItemVersion(content: item.version.content, metadata: Array(version.utf8))
        return item
    }

    /// The remote has given items other names, and somebody uses them.
    private func told(_ names: [(String, String)], version: String) throws {
        let items = try names.map { try named($0, $1, version) }
        _ = try storage.store.apply(items, in: storage.domain, leavingWork: true)
    }

    /// A program renames an item, and its provider has been asked.
    private func rename(_ id: String, _ name: String, version: String = "renamed") throws {
        let change = try storage.store.beginRenaming(
            ItemIdentifier(id), in: storage.domain, to: .root, name: ItemName(name))
        _ = try storage.store.finish(change, as: named(id, name, version))
    }

    /// The documents' files are at the places on disk that the index has for them.
    private func expectOwnFiles(_ comment: Comment) throws {
        var inodes: Set<UInt64> = []
        for name in Self.names {
            let id = try storage.indexed(name).item.kind == .folder ? "\(name).f" : name
            let place = try #require(
                try storage.index.read { try $0.diskLocation(of: ItemIdentifier(id), in: storage.domain) })
            #expect(try storage.read(storage.tree.path(of: place)) == "orig \(name)", comment)
            let item = try storage.store.recordChange(of: ItemIdentifier(id), in: storage.domain)
            #expect(item.state == .materialised, comment)
            if let inode = item.local?.inode { inodes.insert(inode) }
        }
        #expect(inodes.count == Self.names.count, comment)
    }

    private func performOpenWork() throws {
        for _ in 0..<3 { for entry in try openWork() { try? storage.store.perform(entry) } }
        #expect(try openWork().isEmpty)
    }

    private func openWork() throws -> [JournalEntry] {
        try storage.index.read { try $0.openTreeWork(in: storage.domain) }
    }

    @Test(
        "What the remote has exchanged and is exchanged here before the disk has followed keeps its contents",
        arguments: [ItemKind.folder, .document])
    func exchangedTwice(kind: ItemKind) throws {
        try make(kind)
        try told([("q", "p"), ("p", "q")], version: "2")
        try expectOwnFiles("the remote's exchange waits")
        for (id, name) in [("q", "t"), ("p", "p"), ("q", "q")] {
            try rename(id, name)
            try expectOwnFiles("\(id) is \(name)")
        }
        try performOpenWork()
        try expectOwnFiles("all is done")
        let inner = kind == .folder ? "/f.txt" : ""
        #expect(try storage.document("p\(inner)") == "orig p" && storage.document("q\(inner)") == "orig q")
    }

    @Test(
        "What kept an item from its place is nothing that is wrong with it once it is there",
        arguments: [ItemKind.folder, .document])
    func noProblemIsLeft(kind: ItemKind) throws {
        try make(kind)
        try told([("q", "p"), ("p", "q")], version: "2")
        try rename("q", "t")
        #expect(try storage.indexed("q").problem != nil)
        try performOpenWork()
        #expect(try storage.indexed("q").problem == nil && storage.indexed("p").problem == nil)
    }

    @Test("A move is carried out also when a folder around the item has got another identifier since it was recorded")
    func identifiedMeanwhile() throws {
        try storage.tell(storage.item("p", "p", kind: .folder))
        let document = try storage.item("p/f", "f.txt", in: "p", contents: "orig")
        try storage.tell(document)
        try storage.provide(document, "orig")
        _ = try storage.store.apply([named("p/f", "g.txt", "2")], in: storage.domain, leavingWork: true)
        let entry = try #require(try openWork().first)
        let change = try storage.store.beginRenaming(
            ItemIdentifier("p"), in: storage.domain, to: .root, name: ItemName("s"))
        var renamed = try named("p", "s", "2")
        renamed.id = try ItemIdentifier("s")
        _ = try storage.store.finish(change, as: renamed)
        #expect(try openWork().first?.itemID == ItemIdentifier("s/f"), "the folder waits for it")
        try storage.store.perform(entry)
        #expect(try !openWork().contains { $0.id == entry.id })
        try performOpenWork()
        #expect(try storage.document("s/g.txt") == "orig")
    }

    @Test("What is to come into a folder keeps that from another name, also when what is around it was renamed since")
    func renamedAround() throws {
        for (id, name, parent) in [("c", "c", "/"), ("a", "a", "c"), ("d", "d", "c")] {
            try storage.tell(storage.item(id, name, in: parent, kind: .folder))
        }
        let document = try storage.item("d.f", "f.txt", in: "d", contents: "orig")
        try storage.tell(document)
        try storage.provide(document, "orig")
        // “c/d” comes into “c/a”, “c” is “e”, and “e/a” is “e/b”.
        var inner = try named("d", "d", "2")
        inner.parentID = try ItemIdentifier("a")
        for item in [inner, try named("c", "e", "2"), try named("a", "b", "2")] {
            _ = try storage.store.apply([item], in: storage.domain, leavingWork: true)
        }
        func expectOwnFile(_ comment: Comment) throws {
            let place = try storage.index.read { try $0.diskLocation(of: document.id, in: storage.domain) }
            #expect(try storage.read(storage.tree.path(of: #require(place))) == "orig", comment)
        }
        for entry in try openWork().reversed() {
            try? storage.store.perform(entry)
            try expectOwnFile("after the move of \(entry.itemID?.rawValue ?? "")")
        }
        try performOpenWork()
        try expectOwnFile("all is done")
        #expect(try storage.document("e/b/d/f.txt") == "orig")
        #expect(try storage.tree.inode(at: storage.location("c")) == nil)
    }

    @Test(
        "A folder's move is not taken back when something in it was named by it later, also when what is around it was renamed"
    )
    func takenBack() throws {
        for (id, name) in [("a", "a"), ("p", "p")] { try storage.tell(storage.item(id, name, kind: .folder)) }
        let document = try storage.item("a.f", "f.txt", in: "a", contents: "orig")
        try storage.tell(document)
        try storage.provide(document, "orig")
        // “a” is “p/b”, “p” is “q”, and “q/b/f.txt” is “q/b/g.txt”.
        var moved = try named("a", "b", "2")
        moved.parentID = try ItemIdentifier("p")
        for item in [moved, try named("p", "q", "2"), try named("a.f", "g.txt", "2")] {
            _ = try storage.store.apply([item], in: storage.domain, leavingWork: true)
        }
        try storage.tree.makeFolder(at: storage.location("p/b"))
        let stray = try storage.tree.path(of: storage.location("p/b/stray.txt"))
        try storage.write("nobody's", to: stray)
        try? storage.store.perform(#require(openWork().first))
        let place = try storage.index.read { try $0.diskLocation(of: document.id, in: storage.domain) }
        #expect(try storage.read(storage.tree.path(of: #require(place))) == "orig")
        #expect(unlink(stray.string) == 0)
        try performOpenWork()
        #expect(try storage.document("q/b/g.txt") == "orig")
    }

    @Test("A document's place that leads to another one's file makes it neither its contents nor what is sent of it")
    func anothersFile() throws {
        try make(.document)
        try storage.edit("p", "edited")
        // As if the index had lost where p is.
        try storage.index.write { index in
            var payload = JournalPayload()
            payload.place = [try ItemName("q")]
            payload.destination = [try ItemName("p")]
            payload.kind = .document
            _ = try index.begin(.renameRecorded, item: ItemIdentifier("r"), in: storage.domain, payload: payload)
        }
        let id = try ItemIdentifier("p")
        let before = try storage.indexed("p")
        #expect(try storage.store.isFileMissing(before))
        #expect(throws: DocumentError.self) { try storage.store.recordChange(of: id, in: storage.domain) }
        #expect(throws: DocumentError.self) { try storage.store.beginSending(id, in: storage.domain) }
        #expect(try storage.indexed("p") == before)
    }

    @Test(
        "In whatever order moves are carried out, every document's file is where the index has it",
        arguments: [ItemKind.folder, .document], 1...12)
    func anyOrder(kind: ItemKind, seed: UInt64) throws {
        try make(kind)
        var random = SeededNumbers(state: seed)
        var steps: [String] = []
        for version in (2...20).map(String.init) {
            let name = Self.names.randomElement(using: &random) ?? ""
            let target = try (Self.names + ["s", "t"]).filter { name in
                try storage.index.read { try $0.item(at: storage.location(name)) } == nil
            }.randomElement(using: &random)
            switch (Int.random(in: 0..<5, using: &random), target) {
            case (0, _):
                let others = Self.names.filter { $0 != name }.shuffled(using: &random)
                let now = try others.map { try storage.indexed($0).item.name?.rawValue ?? "" }
                steps.append("the remote exchanges \(others), which are \(now)")
                try told([(others[0], now[1]), (others[1], now[0])], version: version)
            case (1, let target?):
                steps.append("a program calls \(name) \(target)")
                try rename(name, target, version: version)
            case (2, let target?):
                steps.append("the remote calls \(name) \(target)")
                try told([(name, target)], version: version)
            case (3, _), (4, _):
                guard let entry = try openWork().randomElement(using: &random) else { continue }
                steps.append("move \(entry.id) of \(entry.itemID?.rawValue ?? "") is carried out")
                try? storage.store.perform(entry)
            default: continue
            }
            try expectOwnFiles("\(steps)")
        }
        try performOpenWork()
        try expectOwnFiles("\(steps)")
    }
}

/// The same numbers each time.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
