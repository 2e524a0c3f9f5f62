import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Files that say that they are a new document, and are not, as a program has copied that one past the host.
struct CopiedArrivalTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func start() throws -> [String] {
        try storage.reopen()
        return try storage.store.reconcile().unknownFiles.map(\.description)
    }

    @Test("A copy of a new document belongs to nobody at every start, also when that one was sent, or is gone")
    func copied() throws {
        let (made, change) = try storage.store.makeDocument(named: ItemName("new.txt"), in: .root, of: storage.domain)
        let (place, other) = (try storage.location("new.txt"), try storage.location("other.txt"))
        try storage.write("text", to: storage.tree.path(of: place))
        _ = try storage.store.recordChange(change)
        try FileSystemMoves.copyWithAttributes(storage.tree.path(of: place), storage.tree.path(of: other))
        for _ in 1...2 { #expect(try start() == ["work:/other.txt"], "not sent yet") }
        let sending = try storage.store.beginSending(made.id, in: storage.domain)
        _ = try storage.store.finish(sending, asNew: storage.item("n", "new.txt", contents: "text"))
        for _ in 1...3 { #expect(try start() == ["work:/other.txt"], "sent") }
        try storage.store.recordGone(ItemIdentifier("n"), in: storage.domain)
        for _ in 1...2 { #expect(try start() == ["work:/other.txt"], "gone") }
        #expect(try storage.document("other.txt") == "text")
        #expect(try storage.index.read { try $0.item(at: other) } == nil)
        // Nothing is remembered of it for longer than it is there.
        try storage.tree.removeFile(at: other, expecting: #require(try storage.tree.file(at: other)))
        #expect(try start() == [])
        #expect(try storage.index.read { try !$0.hasArrived(made.id, in: storage.domain) })
    }
}
