import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Removals that are so here at once, and at the provider later.
struct DroppingTests {
    private let storage: StorageFixture
    private let document: Item

    init() throws {
        storage = try StorageFixture()
        document = try storage.item("a", "a.txt", contents: "text")
        try storage.tell(document, storage.item("f", "Folder", kind: .folder))
        try storage.provide(document, "text")
    }

    private func drop(_ id: String, discardingEdits: Bool = false) throws -> JournalEntry {
        try #require(try storage.store.drop(ItemIdentifier(id), in: storage.domain, discardingEdits: discardingEdits))
    }

    private func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    @Test("What is dropped is gone from index and tree, and the journal says which version of it")
    func dropped() throws {
        let entry = try drop("a")
        #expect(try item(at: "a.txt") == nil)
        #expect(try storage.document("a.txt") == nil)
        #expect(try storage.placeholder("a.txt") == nil)
        #expect(entry.payload.base == document.version)
        #expect(try storage.index.read { try $0.droppedItems(in: storage.domain) } == [entry])
        let listing = try storage.store.beginListing(of: ItemIdentifier("f"), in: storage.domain)
        _ = try storage.store.apply(
            ItemPage(items: []), of: ItemIdentifier("f"), in: storage.domain, generation: listing)
        let folder = try drop("f")
        #expect(folder.payload.kind == .folder)
        #expect(try item(at: "Folder") == nil)
    }

    @Test("Of a document renamed onto another one what was here goes, and not what the remote has got since")
    func renamedOver() throws {
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        #expect(try item(at: "a.txt")?.state == .outdated)
        let (file, other) = try (storage.location("a.txt"), storage.location("b.txt"))
        try #require(rename(storage.tree.path(of: file).string, storage.tree.path(of: other).string) == 0)
        #expect(try drop("a").payload.base?.content == document.version.content)
    }

    @Test("Of one that is outdated what is known of it goes")
    func outdated() throws {
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        #expect(try drop("a").payload.base == newer.version)
    }

    @Test("What the provider tells of it until it has heard is not taken up; afterwards it is")
    func toldAgain() throws {
        let entry = try drop("a")
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        #expect(try item(at: "a.txt") == nil)
        let listing = try storage.store.beginListing(of: .root, in: storage.domain)
        _ = try storage.store.apply(
            ItemPage(items: [newer]), of: .root, in: storage.domain, generation: listing)
        #expect(try item(at: "a.txt") == nil)
        #expect(try storage.placeholder("a.txt") == nil)
        try storage.store.finishDropping(entry)
        try storage.tell(newer)
        #expect(try item(at: "a.txt")?.state == .placeholder)
    }

    @Test("What the provider was asked before it heard, and has answered by then, does not bring it back")
    func answeredLate() throws {
        let entry = try drop("a")
        let question = storage.store.questions.begin(of: storage.domain)
        let listing = try storage.store.beginListing(of: .root, in: storage.domain)
        try storage.store.finishDropping(entry)
        let outcome = try storage.store.apply(
            ItemChanges(updated: [document], deleted: [], anchor: try SyncAnchor([9]), more: false), in: storage.domain,
            answering: question)
        #expect(outcome.leftOut == [document.id])
        #expect(try item(at: "a.txt") == nil)
        let folder = try #require(try item(at: "Folder"))
        let listed = try storage.store.apply(
            ItemPage(items: [document, folder.item]), of: .root, in: storage.domain, generation: listing,
            answering: question)
        #expect(listed.leftOut == [document.id])
        #expect(try item(at: "a.txt") == nil && item(at: "Folder") != nil)
        // Asked since, it counts.
        let outcomeNow = try storage.store.apply(
            [document], in: storage.domain, answering: storage.store.questions.begin(of: storage.domain))
        #expect(outcomeNow.leftOut == [])
        #expect(try item(at: "a.txt")?.state == .placeholder)
    }

    @Test("Its name is free at once")
    func nameIsFree() throws {
        _ = try drop("a")
        let made = try storage.store.makeDocument(named: ItemName("a.txt"), in: .root, of: storage.domain)
        #expect(made.item.isArriving)
        try storage.tell(document)
        #expect(try item(at: "a.txt")?.id == made.item.id)
    }

    @Test("Changes that were not sent go only when they may be lost")
    func unsent() throws {
        try storage.edit("a", "changed")
        let error = #expect(throws: DocumentError.self) { try drop("a") }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "changed")
        let entry = try drop("a", discardingEdits: true)
        #expect(try storage.document("a.txt") == nil)
        #expect(entry.payload.base?.content == document.version.content)
    }

    @Test(
        "VER-15: of contents of which nobody knows what they began from, what is known of the remote goes, and no more")
    func unknownBase() throws {
        let (item, location) = try storage.store.locate(document.id, in: storage.domain)
        try storage.write("from before", to: storage.tree.path(of: location))
        let file = try #require(try storage.tree.file(at: location))
        // As of a file that was found after a power failure.
        try storage.store.adopt(item, file, at: location, version: [], isChanged: true)
        #expect(try storage.indexed("a").synced?.content == [])
        #expect(try storage.indexed("a").versionToRemove == document.version)
        #expect(try drop("a", discardingEdits: true).payload.base?.content == Array("1".utf8))
    }

    @Test("A folder that something was put into, or may lie in, does not go so, and nothing of it is lost")
    func filledFolder() throws {
        let folder = try ItemIdentifier("f")
        #expect(try storage.store.drop(folder, in: storage.domain, discardingEdits: true) == nil)
        let listing = try storage.store.beginListing(of: folder, in: storage.domain)
        _ = try storage.store.apply(ItemPage(items: []), of: folder, in: storage.domain, generation: listing)
        _ = try storage.store.makeDocument(named: ItemName("new.txt"), in: folder, of: storage.domain)
        try storage.write("only here", to: storage.tree.path(of: storage.location("Folder/new.txt")))
        #expect(try storage.store.drop(folder, in: storage.domain, discardingEdits: true) == nil)
        #expect(try storage.document("Folder/new.txt") == "only here")
        #expect(try item(at: "Folder/new.txt") != nil)
    }

    @Test("After a restart it is gone still, and its provider is told")
    func restarted() throws {
        let entry = try drop("a")
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.pending == [entry])
        #expect(try item(at: "a.txt") == nil)
        try storage.tell(document)
        #expect(try item(at: "a.txt") == nil)
    }
}
