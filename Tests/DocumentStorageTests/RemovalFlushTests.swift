import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// What was removed is on no disk any more when the index does not know it: after a power failure it would be nobody's.
struct RemovalFlushTests {
    private let storage: StorageFixture
    private let plan = FaultPlan()

    /// A folder with documents that are here, and one beside it.
    init() throws {
        storage = try StorageFixture()
        try storage.tell(storage.item("f", "Folder", kind: .folder))
        for number in 0..<5 {
            let item = try storage.item("\(number)", "\(number).txt", in: "f", contents: "one")
            try storage.tell(item)
            try storage.provide(item, "one")
        }
        let beside = try storage.item("b", "b.txt", contents: "one")
        try storage.tell(beside)
        try storage.provide(beside, "one")
    }

    private func removeTold(_ ids: String...) throws {
        let changes = ItemChanges(
            updated: [], deleted: try ids.map { try ItemIdentifier($0) }, anchor: try SyncAnchor([1]), more: false)
        _ = try FaultPlan.$current.withValue(plan) { try storage.store.apply(changes, in: storage.domain) }
    }

    /// Of the folder that a file has gone to, the trash, and of those that it has left.
    private var flushes: Int { plan.calls.filter { $0 == .flush }.count }
    private var logFlushes: Int { plan.calls.filter { $0 == .flushLog }.count }

    /// The last file went before the last folder was flushed, and the index was written to after that.
    private func isInOrder() -> Bool {
        guard let gone = plan.calls.lastIndex(where: { $0 == .rename || $0 == .unlink }),
            let folder = plan.calls.lastIndex(of: .flush), let log = plan.calls.lastIndex(of: .flushLog)
        else { return false }
        return gone < folder && folder < log
    }

    @Test("INV-3: the folder that a removed document's file has left is flushed before the index forgets the document")
    func one() throws {
        try removeTold("b")
        #expect(flushes == 2 && isInOrder())
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
    }

    @Test("INV-3: however many documents go, each folder is flushed once, and the index as often as for one")
    func many() throws {
        try removeTold("0", "1", "2", "3", "4", "b")
        #expect(flushes == 3 && logFlushes == 2 && isInOrder())
        #expect(try storage.index.read { try $0.trash(.all, limit: 100) }.count == 6)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("INV-3: of a folder that goes with all that is in it, what is around it is flushed, once")
    func folder() throws {
        try removeTold("f", "0", "1")
        #expect(flushes == 2)
        #expect(try storage.index.read { try $0.item(ItemIdentifier("f"), in: storage.domain) } == nil)
        #expect(try storage.tree.inode(at: storage.location("Folder")) == nil)
    }

    @Test("Where nothing was here, a removal costs no flush but the one that records it")
    func placeholders() throws {
        try storage.tell(storage.item("c", "c.txt"), storage.item("d", "d.txt"))
        try removeTold("c", "d")
        #expect(flushes == 0 && logFlushes == 1)
    }

    @Test("INV-3: while the folder cannot be flushed, the index forgets nothing; then it does")
    func failing() throws {
        plan.fail(.flush, with: 5, times: 1)
        try removeTold("b")
        #expect(try storage.indexed("b").isGone)
        #expect(try storage.document("b.txt") == nil)
        try storage.store.performOpenWork()
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
        #expect(try storage.index.read { try $0.trash(.all, limit: 100) }.count == 1)
    }

    @Test(
        "An error after removals are recorded keeps none of what follows from being done: who waited for a name is shown"
    )
    func failingAfterwards() throws {
        let next = try storage.item("c", "b.txt", contents: "new", version: "2")
        try storage.tell(next)
        #expect(try storage.indexed("c").state == .nameClash)
        // The removals' own record is written to disk once they are in it.
        plan.fail(.flushLog, with: 5, passing: 1, times: 1)
        try removeTold("0", "1", "b")
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
        #expect(try storage.placeholder("b.txt")?.id == next.id)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("Contents that have come since a file was taken away stay known, also in a file with the same inode's number")
    func sameNumber() throws {
        let item = try storage.indexed("b")
        let now = try #require(item.local)
        var before = now
        before.changed = Timestamp(seconds: now.changed.seconds - 1, nanoseconds: now.changed.nanoseconds)
        let location = try storage.location("b.txt")
        for (recorded, state) in [(before, ItemState.materialised), (now, .placeholder)] {
            let taken = TakenFile(id: item.id, location: location, file: before, recorded: recorded)
            try storage.index.write { try storage.store.record([taken], in: $0) }
            #expect(try storage.indexed("b").state == state)
        }
    }

    @Test("INV-3: a document that could not be made is on no disk any more: it would come back after a power failure")
    func notMade() throws {
        let (plain, domain) = (storage.store, storage.domain)
        let quicker = try storage.item("n", "new.txt", contents: "one")
        storage.observe(Meanwhile(at: .makeExpected) { _ = try plain.apply([quicker], in: domain) })
        let error = FaultPlan.$current.withValue(plan) {
            #expect(throws: DocumentError.self) {
                try storage.store.makeDocument(named: ItemName("new.txt"), in: .root, of: domain)
            }
        }
        #expect(error?.code == .destinationExists)
        let gone = try #require(plan.calls.lastIndex { $0 == .unlink || $0 == .rename })
        #expect(plan.calls[gone...].contains(.flush))
        #expect(try storage.tree.inode(at: storage.location("new.txt")) == nil)
    }
}
