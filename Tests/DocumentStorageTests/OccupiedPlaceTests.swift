import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// A folder has another name by now, and still lies under its old one, because somebody uses it: another one gets that name.
struct OccupiedPlaceTests {
    private let storage: StorageFixture
    /// “F” is “G” for the index, and “F” on disk.
    private let work: [JournalEntry]

    init() throws {
        storage = try StorageFixture()
        try storage.tell(storage.item("f", "F", kind: .folder))
        let document = try storage.item("x", "x.txt", in: "f", contents: "old")
        try storage.tell(document)
        try storage.provide(document, "old")
        work = try storage.store.apply(
            [storage.item("f", "G", kind: .folder, version: "2")], in: storage.domain, leavingWork: true
        ).work
        #expect(work.count == 1)
    }

    /// Whoever used it has ended.
    private func leave() throws {
        for entry in work { try storage.store.perform(entry) }
        try storage.store.performOpenWork()
        #expect(try storage.document("G/x.txt") == "old")
        #expect(try storage.index.read { try $0.openTreeWork(in: storage.domain) }.isEmpty)
    }

    @Test("What is made in a folder that has got the name does not go away with the one that leaves it")
    func made() throws {
        let folder = try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        let (made, change) = try storage.store.makeDocument(
            named: ItemName("new.txt"), in: folder.id, of: storage.domain)
        let place = try #require(try storage.index.read { try $0.diskLocation(of: made.id, in: storage.domain) })
        try storage.write("new", to: storage.tree.path(of: place))
        _ = try storage.store.recordChange(change)
        #expect(try storage.document("F/x.txt") == "old")
        try leave()
        #expect(try storage.document("F/new.txt") == "new" && storage.document("G/new.txt") == nil)
        #expect(try storage.store.recordChange(of: made.id, in: storage.domain).state == .changed)
    }

    @Test("A folder that cannot be made on disk is not made in the index, either")
    func notMade() throws {
        try storage.write("nobody's", to: storage.tree.path(of: storage.location("N")))
        #expect(throws: DocumentError.self) {
            try storage.store.makeFolder(named: ItemName("N"), in: .root, of: storage.domain)
        }
        #expect(try storage.index.read { try $0.item(at: storage.location("N")) } == nil)
    }

    @Test("What is fetched into a folder that the provider has made under the name does not, either")
    func told() throws {
        _ = try storage.store.apply(
            [storage.item("new", "F", kind: .folder)], in: storage.domain, leavingWork: true)
        let document = try storage.item("y", "x.txt", in: "new", contents: "other")
        try storage.tell(document)
        try storage.provide(document, "other")
        #expect(try storage.document("F/x.txt") == "old")
        try leave()
        #expect(try storage.document("F/x.txt") == "other")
    }

    @Test("Nor what is in one that was hidden by the name")
    func hidden() throws {
        let storage = try StorageFixture()
        try storage.tell(storage.item("f", "F", kind: .folder), storage.item("h", "F", kind: .folder))
        let old = try storage.item("x", "x.txt", in: "f", contents: "old")
        try storage.tell(old)
        try storage.provide(old, "old")
        let work = try storage.store.apply(
            [storage.item("f", "G", kind: .folder, version: "2")], in: storage.domain, leavingWork: true
        ).work
        let document = try storage.item("y", "x.txt", in: "h", contents: "other")
        try storage.tell(document)
        try storage.provide(document, "other")
        for entry in work { try? storage.store.perform(entry) }
        try storage.store.performOpenWork()
        #expect(try storage.document("G/x.txt") == "old" && storage.document("F/x.txt") == "other")
    }

    @Test("A host that ends before that has all of it in its place at the next start")
    func restarted() throws {
        let folder = try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        let (made, change) = try storage.store.makeDocument(
            named: ItemName("new.txt"), in: folder.id, of: storage.domain)
        let place = try #require(try storage.index.read { try $0.diskLocation(of: made.id, in: storage.domain) })
        try storage.write("new", to: storage.tree.path(of: place))
        _ = try storage.store.recordChange(change)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [] && report.missing == 0)
        #expect(try storage.document("F/new.txt") == "new" && storage.document("G/x.txt") == "old")
        #expect(try storage.indexed(made.id.rawValue).state == .changed)
    }

    @Test("It can be named anew before the other one has left, and lies there then")
    func renamed() throws {
        let folder = try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        let (made, change) = try storage.store.makeDocument(
            named: ItemName("new.txt"), in: folder.id, of: storage.domain)
        _ = try storage.store.recordChange(change)
        _ = try? storage.store.moveArriving(folder, to: .root, name: ItemName("H"))
        try leave()
        #expect(try storage.document("H/new.txt") == "")
        #expect(try storage.store.recordChange(of: made.id, in: storage.domain).isUnsent)
    }

    @Test("Documents' files that lie where a folder is to be go back to their places when it cannot stay where it is")
    func displacedFiles() throws {
        let other = try storage.item("y", "y.txt", contents: "other")
        try storage.tell(other)
        try storage.provide(other, "other")
        // Named by where the folder is to be: it cannot be taken back.
        _ = try storage.store.apply(
            [storage.item("x", "z.txt", in: "f", contents: "old")], in: storage.domain, leavingWork: true)
        try storage.tree.makeFolder(at: storage.location("G/D"))
        for (from, to) in [("F/x.txt", "G/x.txt"), ("y.txt", "G/D/y.txt")] {
            try FileSystemMoves.rename(
                storage.tree.path(of: storage.location(from)), storage.tree.path(of: storage.location(to)))
        }
        try storage.store.performOpenWork()
        try storage.store.performOpenWork()
        #expect(try storage.index.read { try $0.openTreeWork(in: storage.domain) }.isEmpty)
        #expect(try storage.document("G/z.txt") == "old" && storage.document("y.txt") == "other")
        #expect(try storage.document("G/D/y.txt") == nil && storage.document("F/x.txt") == nil)
        for id in ["x", "y"] {
            #expect(try storage.store.recordChange(of: ItemIdentifier(id), in: storage.domain).state == .materialised)
        }
    }
}
