import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

struct DocumentStoreTests {
    @Test("PH-7: contents come whole, verified, with the provider's time, and the placeholder goes")
    func materialise() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        #expect(try storage.placeholder("a.txt")?.size == 5)
        #expect(try storage.document("a.txt") == nil)

        let here = try storage.provide(item, "hello")
        #expect(here.state == .materialised)
        #expect(here.local?.modified == item.modified)
        #expect(here.synced == item.version)
        #expect(try storage.document("a.txt") == "hello")
        #expect(try storage.placeholder("a.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("An item that goes away while its contents come or are sent leaves nothing behind")
    func goneMeanwhile() throws {
        let storage = try StorageFixture()
        let (a, b) = (try storage.item("a", "a.txt", contents: "a"), try storage.item("b", "b.txt", contents: "b"))
        try storage.tell(a, b)
        let coming = try storage.store.beginMaterialising(a.id, in: storage.domain)
        try storage.write("a", to: coming.file.path)
        try storage.provide(b, "b")
        try storage.edit("b", "edited")
        let sending = try storage.store.beginSending(b.id, in: storage.domain)
        _ = try storage.store.apply(
            ItemChanges(updated: [], deleted: [a.id], anchor: SyncAnchor([1])), in: storage.domain)
        try storage.store.finishRemoving(
            storage.store.beginRemoving(b.id, in: storage.domain, discardingEdits: true))

        let error = #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: a) }
        #expect(error?.code == .noSuchItem)
        try storage.store.abandon(coming, because: error)
        try storage.store.abandon(sending, because: error)
        #expect(try storage.document("a.txt") == nil)
        #expect(try storage.document("b.txt") == nil)
        #expect(try storage.placeholder("a.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test("What was made anew, and could not be recorded then, is still to be sent under its new identifier")
    func madeAnewOnly() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        try storage.edit("a", "hello again")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        // That is as far as it has come.
        _ = try storage.index.write { try $0.rename(item.id, to: ItemIdentifier("b"), in: storage.domain) }
        try storage.store.abandon(sending, because: DocumentError(.localStorage, "The disk has errors."))
        let known = try storage.indexed("b")
        #expect(known.state == .changed && known.problem?.code == .localStorage)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
        #expect(try storage.store.beginSending(known.id, in: storage.domain).item.id == known.id)
    }

    @Test("A change is recorded, sent as a snapshot with its base version, and in sync again after the answer")
    func changeAndSend() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        #expect(try storage.edit("a", "hello again").state == .changed)

        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        #expect(sending.base == item.version)
        #expect(try storage.read(sending.snapshot.path) == "hello again")
        #expect(try storage.indexed("a").state == .sending)
        let after = try storage.store.finish(
            sending, as: storage.item("a", "a.txt", contents: "hello again", version: "2"))
        #expect(after.state == .materialised)
        #expect(after.synced?.content == Array("2".utf8))
        #expect(try storage.read(sending.snapshot.path) == nil)
    }
}
