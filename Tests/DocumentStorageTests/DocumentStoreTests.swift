import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage
import Testing

struct DocumentStoreTests {
    @Test("Contents come whole, verified, with the provider's time, and the placeholder goes")
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
