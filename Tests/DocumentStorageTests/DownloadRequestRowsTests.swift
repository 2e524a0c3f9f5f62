import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// What was asked for and has not come, written down.
struct DownloadRequestRowsTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
        try storage.tell(storage.item("a", "a.txt", contents: "a"), storage.item("f", "F", kind: .folder))
    }

    private var asked: [String] {
        get throws { try storage.index.read { try $0.downloadRequests(in: storage.domain) }.map(\.id.rawValue) }
    }

    @Test("XFER-8: what was asked for is known to the next host, once, until it has come")
    func kept() throws {
        let items = try ["a", "f"].map { try storage.indexed($0) }
        for _ in 0..<2 { try storage.index.write { try $0.keepDownloadRequests(items) } }
        try storage.reopen()
        #expect(try asked == ["a", "f"])
        try storage.index.write { try $0.dropDownloadRequest(of: items[1]) }
        #expect(try asked == ["a"])
    }

    @Test("XFER-8: nobody asks for what is gone, nor for what is gone by the time that it is asked for")
    func gone() throws {
        let items = try ["a", "f"].map { try storage.indexed($0) }
        try storage.index.write { try $0.keepDownloadRequests([items[0]]) }
        _ = try storage.store.apply(
            ItemChanges(updated: [], deleted: items.map(\.id), anchor: SyncAnchor([1])), in: storage.domain)
        try storage.index.write { try $0.keepDownloadRequests(items) }
        #expect(try asked == [])
    }
}
