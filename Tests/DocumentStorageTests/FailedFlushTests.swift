import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// The index's log, when the disk does not take it.
struct FailedFlushTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
        let document = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(document)
        try storage.provide(document, "one")
        try storage.edit("a", "two")
    }

    private func withFailingLog(_ body: () throws -> Void) throws {
        let plan = FaultPlan()
        plan.fail(.flushLog, with: EIO, times: 1)
        try FaultPlan.$current.withValue(plan, operation: body)
    }

    @Test("INV-1: what a transaction has recorded is not withdrawn because it could not be flushed")
    func nothingIsWithdrawn() throws {
        let sending = try storage.store.beginSending(ItemIdentifier("a"), in: storage.domain)
        try withFailingLog {
            let error = #expect(throws: DocumentError.self) {
                try storage.store.recordConflict(
                    sending, remote: nil, because: DocumentError(.versionNoLongerAvailable, "It is newer there."))
            }
            #expect(error?.code == .localStorage)
        }
        try storage.reopen()
        let conflicts = try storage.index.read { try $0.conflicts(in: storage.domain) }
        let kept = try #require(conflicts.first?.kept, "it was committed, and this machine still runs")
        #expect(try storage.read(storage.root.versions.path(of: kept)) == "two")
        #expect(try storage.indexed("a").state == .conflict)
    }

    @Test("RS-5: a sending whose name was not flushed is not taken up: who starts next would not know it")
    func unflushedName() throws {
        let id = try ItemIdentifier("a")
        try withFailingLog {
            #expect(throws: DocumentError.self) { try storage.store.beginSending(id, in: storage.domain) }
        }
        let entry = try #require(
            try storage.index.read { try $0.journal(of: id, in: storage.domain) }.last { $0.action == .send })
        let error = #expect(throws: DocumentError.self) { try storage.store.resumeSending(entry) }
        #expect(error?.code == .localStorage)
        try storage.reopen()
        #expect(try storage.store.resumeSending(entry).operation == entry.payload.operation)
    }

    @Test("INV-3: a document that could not be made, as the index took nothing more, is not there at the next start")
    func notMade() throws {
        let (plain, plan) = (storage.store, FaultPlan())
        plan.fail(.flushLog, with: EIO, times: 1)
        // Another thread flushes just then.
        storage.observe(Meanwhile(at: .makeExpected) { try? plain.root.index.flush() })
        FaultPlan.$current.withValue(plan) {
            #expect(throws: DocumentError.self) {
                try storage.store.makeDocument(named: ItemName("new.txt"), in: .root, of: storage.domain)
            }
        }
        #expect(storage.index.hasFailed)
        try storage.reopen()
        #expect(try storage.store.reconcile().unknownFiles == [])
        #expect(try storage.document("new.txt") == nil)
        #expect(try storage.index.read { try $0.item(at: storage.location("new.txt")) } == nil)
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("After a flush that failed nothing more is written until the next start; reading goes on")
    func nothingMore() throws {
        let domain = storage.domain
        try withFailingLog {
            #expect(throws: DocumentError.self) { try storage.index.flush() }
        }
        #expect(throws: DocumentError.self) {
            try storage.index.write(durably: false) { try $0.setAnchor(nil, of: domain) }
        }
        #expect(throws: DocumentError.self) { try storage.index.flush() }
        #expect(try storage.indexed("a").state == .changed)
        try storage.reopen()
        try storage.index.write { try $0.setAnchor(nil, of: domain) }
    }

    @Test("What a host that died left in the log is in the database, and the log empty, before anything is added")
    func checkpoint() throws {
        // As it lies there when nobody has closed it.
        let (index, copy) = (storage.rootPath.appending(".docent/index.sqlite"), storage.folder.appending("copy"))
        for suffix in ["", "-wal"] {
            try FileSystemMoves.copyWithAttributes(FilePath(index.string + suffix), FilePath(copy.string + suffix))
        }
        #expect(try size(FilePath(copy.string + "-wal")) > 0)
        let opened = try ItemIndex(at: copy)
        #expect(try size(FilePath(copy.string + "-wal")) == 0)
        #expect(try opened.read { try $0.item(ItemIdentifier("a"), in: storage.domain) }?.state == .changed)
        try opened.close()
    }

    private func size(_ path: FilePath) throws -> Int {
        var status = stat()
        guard lstat(path.string, &status) == 0 else { throw Errno(rawValue: errno) }
        return Int(status.st_size)
    }
}
