import DocumentModel
import DocumentTestSupport
import Synchronization
import Testing

@testable import DocumentStorage

/// An item gets an identifier by which the feed has told of it already, and whoever waits for the name in those news gets that.
struct FreedNameTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    /// Another document, which is to be called as something else is.
    private func waiting(for name: String) throws {
        let other = try storage.item("x", "x.txt", contents: "other")
        try storage.tell(other)
        try storage.provide(other, "other")
        try storage.tell(storage.item("x", name, contents: "other"))
        #expect(try storage.document("x.txt") == "other")
    }

    private func expectSettled() throws {
        #expect(try storage.index.read { try $0.openTreeWork(in: storage.domain) }.isEmpty)
    }

    @Test("ID-4, CONT-12: also on disk, when a rename is answered with another identifier")
    func renamed() throws {
        let document = try storage.item("a", "a.txt", contents: "text")
        try storage.tell(document)
        try storage.provide(document, "text")
        let change = try storage.store.beginRenaming(
            document.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        try storage.tell(storage.item("b", "elsewhere.txt", contents: "text"))
        try waiting(for: "elsewhere.txt")
        _ = try storage.store.finish(change, as: storage.item("b", "b.txt", contents: "text"))
        #expect(try storage.document("b.txt") == "text")
        #expect(try storage.document("elsewhere.txt") == "other")
        try expectSettled()
    }

    /// A folder that was made here, with something in it; its provider has told of it under another name, and has not answered.
    private func madeFolder() throws -> ItemIdentifier {
        let folder = try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        let (_, change) = try storage.store.makeDocument(named: ItemName("mine.txt"), in: folder.id, of: storage.domain)
        _ = try storage.store.recordChange(change)
        try storage.tell(storage.item("r", "G", kind: .folder), storage.item("t", "theirs.txt", in: "r"))
        return folder.id
    }

    private func expectMade() throws {
        #expect(try storage.document("G") == "other")
        #expect(try storage.document("F/mine.txt") != nil)
        try expectSettled()
    }

    @Test("VER-15, CONT-12: also on disk, when a folder is made")
    func made() throws {
        let folder = try madeFolder()
        try waiting(for: "G")
        try storage.store.revive(folder, as: storage.item("r", "F", kind: .folder), in: storage.domain)
        try expectMade()
    }

    @Test("VER-15: nobody who uses the folder that was made has to let go of it for that")
    func madeInUse() throws {
        let folder = try madeFolder()
        try waiting(for: "G")
        let taken = Mutex<[JournalEntry]>([])
        storage.store.follower.handOver { entries in taken.withLock { $0 += entries } }
        try storage.store.revive(folder, as: storage.item("r", "F", kind: .folder), in: storage.domain)
        #expect(taken.withLock { $0.map(\.action) } == [.rename])
        for entry in taken.withLock({ $0 }) { try storage.store.perform(entry) }
        try expectMade()
    }
}
