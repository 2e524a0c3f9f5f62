import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Documents that get another place here at once, and at the provider later.
struct RelocatingTests {
    private let storage: StorageFixture
    private let document: Item
    private let folder: Item

    init() throws {
        storage = try StorageFixture()
        document = try storage.item("a", "a.txt", contents: "text")
        folder = try storage.item("f", "Folder", kind: .folder)
        try storage.list(.root, document, folder)
        try storage.provide(document, "text")
    }

    private func relocate(to parent: ItemIdentifier = .root, as name: String) throws -> JournalEntry {
        let place = try #require(try storage.index.read { try $0.location(of: document.id, in: storage.domain) })
        return try #require(
            try storage.store.relocate(
                document.id, in: storage.domain, from: place, to: parent, name: ItemName(name)))
    }

    private func isOpen(_ entry: JournalEntry) throws -> Bool {
        try storage.index.read { try $0.subject(of: entry) } != nil
    }

    private func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    @Test(
        "What is moved is so in index and tree, with its contents, and the journal says from where, and which version of it"
    )
    func moved() throws {
        try storage.list(folder.id)
        let entry = try relocate(to: folder.id, as: "b.txt")
        #expect(try storage.document("Folder/b.txt") == "text")
        #expect(try storage.document("a.txt") == nil && item(at: "a.txt") == nil)
        #expect(try item(at: "Folder/b.txt")?.state == .materialised)
        #expect(entry.payload.base == document.version)
        #expect(entry.payload.originID == .root && entry.payload.parentID == folder.id)
        #expect(try entry.payload.place == [ItemName("a.txt")])
        #expect(try entry.payload.destination == [ItemName("Folder"), ItemName("b.txt")])
        let read = try storage.index.read { try $0.journal() }
        #expect(read == [entry], "it is the same when it was read anew")
    }

    @Test("Until the provider has heard, all that it tells counts, but for the place; afterwards that counts, too")
    func told() throws {
        let entry = try relocate(as: "b.txt")
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        #expect(try item(at: "b.txt")?.state == .outdated && item(at: "a.txt") == nil)
        try storage.list(.root, newer, folder)
        #expect(try item(at: "b.txt")?.item.version == newer.version && item(at: "a.txt") == nil)
        #expect(try storage.document("b.txt") == "text")
        // It was moved elsewhere there.
        let there = try storage.item("a", "c.txt", contents: "newer", version: "3")
        try storage.tell(there)
        #expect(try item(at: "b.txt") != nil)
        try storage.store.finishRelocating(entry, as: there, since: nil)
        #expect(try item(at: "b.txt") == nil && storage.document("c.txt") == "text")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("PROV-22: what was moved into a folder is not gone because the provider does not list it there yet")
    func unlisted() throws {
        try storage.list(folder.id)
        _ = try relocate(to: folder.id, as: "b.txt")
        try storage.list(folder.id)
        try storage.list(.root, folder)
        #expect(try storage.document("Folder/b.txt") == "text")
        #expect(try item(at: "Folder/b.txt")?.isGone == false)
    }

    @Test("Its old name is free at once, and is kept by who took it when the provider does not allow the move")
    func nameIsFree() throws {
        let entry = try relocate(as: "b.txt")
        let made = try storage.store.makeDocument(named: ItemName("a.txt"), in: .root, of: storage.domain)
        try storage.tell(document)
        #expect(try item(at: "a.txt")?.id == made.item.id && item(at: "b.txt")?.id == document.id)
        try storage.store.finishRelocating(entry, as: document, since: nil)
        #expect(try item(at: "a.txt")?.id == made.item.id)
        let kept = try storage.indexed("a")
        #expect(
            try kept.wanted?.name == ItemName("a.txt"),
            "it wants its place back, and keeps the one that it has until then")
        #expect(try storage.document("b.txt") == "text")
    }

    @Test("A document that is moved twice is where it came to last, in whatever order the provider says so")
    func twice() throws {
        let first = try relocate(as: "b.txt")
        let second = try relocate(as: "c.txt")
        try storage.store.finishRelocating(
            first, as: storage.item("a", "b.txt", contents: "text", version: "2"), since: nil)
        #expect(try storage.document("c.txt") == "text" && item(at: "b.txt") == nil)
        try storage.store.finishRelocating(
            second, as: storage.item("a", "c.txt", contents: "text", version: "3"), since: nil)
        #expect(try storage.document("c.txt") == "text")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("ID-4: where identifiers follow names it is the same document here, with its contents")
    func otherIdentifier() throws {
        let entry = try relocate(as: "b.txt")
        let there = try storage.item("b", "b.txt", contents: "text")
        // The feed may be quicker than the answer.
        try storage.tell(there)
        try storage.store.finishRelocating(entry, as: there, since: nil)
        #expect(try storage.document("b.txt") == "text")
        #expect(try item(at: "b.txt")?.id == there.id && item(at: "b.txt")?.state == .materialised)
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
    }

    @Test("A later rename that the provider has said yes to, and a removal, settle it")
    func settled() throws {
        let first = try relocate(as: "b.txt")
        let change = try storage.store.beginRenaming(
            document.id, in: storage.domain, to: .root, name: ItemName("c.txt"))
        _ = try storage.store.finish(change, as: storage.item("a", "c.txt", contents: "text", version: "2"))
        #expect(try storage.document("c.txt") == "text")
        #expect(try !isOpen(first))
        let second = try relocate(as: "d.txt")
        _ = try storage.store.drop(document.id, in: storage.domain, discardingEdits: false)
        #expect(try !isOpen(second))
        #expect(try item(at: "d.txt") == nil)
    }

    @Test("What is not known well enough is not moved so: into a folder that was never listed; what is being sent is")
    func refused() throws {
        #expect(
            try storage.store.relocate(
                document.id, in: storage.domain, from: storage.location("a.txt"), to: folder.id, name: ItemName("b"))
                == nil)
        try storage.edit("a", "changed")
        let moved = try relocate(as: "b.txt")
        #expect(try storage.document("b.txt") == "changed")
        _ = try storage.store.beginSending(document.id, in: storage.domain)
        #expect(
            try storage.store.relocate(
                document.id, in: storage.domain, from: storage.location("b.txt"), to: .root, name: ItemName("c")) != nil
        )
        #expect(try storage.document("c") == "changed")
        #expect(try isOpen(moved))
        let error = #expect(throws: DocumentError.self) {
            try storage.store.relocate(
                document.id, in: storage.domain, from: storage.location("c"), to: .root, name: ItemName("folder"))
        }
        #expect(error?.code == .nameClash)
    }

    @Test("What its provider has told since it was asked is newer than its answer")
    func newsMeanwhile() throws {
        let entry = try relocate(as: "b.txt")
        let asked = try storage.indexed("a")
        try storage.tell(storage.item("a", "a.txt", contents: "newer", version: "9"))
        try storage.store.finishRelocating(
            entry, as: storage.item("a", "b.txt", contents: "text", version: "2"), since: asked)
        #expect(try item(at: "b.txt")?.state == .outdated)
        #expect(
            try item(at: "b.txt")?.item.version.content
                == storage.item("a", "b.txt", contents: "newer", version: "9").version.content)
    }

    @Test("A folder that was made here is named by what its provider calls it, also after the next start")
    func folderIsSent() throws {
        let made = try storage.store.makeFolder(named: ItemName("made"), in: .root, of: storage.domain)
        let into = try relocate(to: made.id, as: "b.txt")
        let within = try relocate(to: made.id, as: "c.txt")
        let known = try ItemIdentifier("known")
        try storage.index.write { index in
            _ = try index.rename(made.id, to: known, in: storage.domain)
            try index.forgetArrivals()
        }
        let open = try storage.index.read { try [$0.open(into), $0.open(within)] }
        #expect(open.map(\.?.payload.parentID) == [known, known])
        #expect(open.map(\.?.payload.originID) == [.root, known])
        #expect(try storage.index.read { try $0.holdsUntold(.root, in: storage.domain) })
        #expect(try storage.index.read { try $0.holdsUntold(known, in: storage.domain) })
        #expect(try storage.index.read { try !$0.holdsUntold(folder.id, in: storage.domain) })
    }

    @Test("Of what was moved and then removed the journal says both places: its provider may have it at either")
    func movedAndRemoved() throws {
        try storage.list(folder.id)
        _ = try relocate(to: folder.id, as: "b.txt")
        _ = try relocate(as: "c.txt")
        let dropped = try #require(
            try storage.store.drop(document.id, in: storage.domain, discardingEdits: false))
        #expect(try dropped.payload.place == [ItemName("a.txt")])
        #expect(try dropped.payload.destination == [ItemName("c.txt")])
        #expect(dropped.payload.parentID == .root)
        #expect(try storage.index.read { try $0.journal() } == [dropped])
    }
}
