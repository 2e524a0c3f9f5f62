import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// Conflicts that end in favour of the remote, whose contents were kept here as their other side (VER-5).
struct ResolvingTests {
    private let storage: StorageFixture
    private let item: Item

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "ours")
    }

    private func told(_ version: String, _ contents: String) throws -> Item {
        var told = item
        told.version = try ItemVersion(content: Array(version.utf8))
        told.size = Int64(contents.utf8.count)
        told.modified = Timestamp(seconds: 1_700_000_000)
        return told
    }

    /// The remote has version 2 of it, “theirs”.
    private func conflict(isFetched: Bool = true) throws {
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let remote = try told("2", "theirs")
        var theirs: StagedFile?
        if isFetched {
            let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
            try storage.write("theirs", to: room.file.path)
            theirs = try room.request.verify(
                room.file, size: remote.size,
                stamp: ItemStamp(
                    domain: storage.domain, id: item.id, contentVersion: remote.version.content, size: 6,
                    modified: remote.modified))
        }
        _ = try storage.store.recordConflict(
            sending, remote: remote, theirs: theirs, because: DocumentError(.inConflict, "Both."))
    }

    private func resolve() throws -> VersionChange {
        try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: false)
    }

    private func older() throws -> [String?] {
        try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.filter { $0.role == .older }
            .map { try storage.read(storage.store.root.versions.path(of: $0.kept)) }
    }

    @Test("VER-5: the remote's contents that are kept beside ours take their place, and nothing has to be brought")
    func put() throws {
        try conflict()
        let change = try resolve()
        #expect(change.item.state == .materialised)
        #expect(try storage.document("a.txt") == "theirs")
        #expect(try older().contains("ours") && change.gained.count == 1)
        #expect(try storage.placeholder("a.txt") == nil)
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.changed == 0 && report.missing == 0 && report.unknownFiles.isEmpty)
        #expect(try storage.indexed("a").state == .materialised)
    }

    @Test("VER-5: where the remote has something else by now, that is brought when it is wanted")
    func overtaken() throws {
        try conflict()
        try storage.tell(told("3", "theirs, again"))
        #expect(try resolve().item.state == .placeholder)
        #expect(try storage.document("a.txt") == nil)
        #expect(try older().contains("ours"))
    }

    @Test("VER-5: our own contents, kept because the remote's could not be fetched, are not taken for those")
    func notFetched() throws {
        try conflict(isFetched: false)
        #expect(try resolve().item.state == .placeholder)
        #expect(try storage.document("a.txt") == nil)
        #expect(try older().contains("ours"))
    }

    @Test("VER-5: contents that somebody has changed where they were kept are not put in place")
    func changedWhereKept() throws {
        try conflict()
        let kept = try #require(try storage.index.read { try $0.conflicts(in: storage.domain) }.first?.kept)
        try storage.write("the1rs", to: storage.store.root.versions.path(of: kept))
        #expect(try resolve().item.state == .placeholder)
        #expect(try storage.document("a.txt") == nil)
    }

    @Test(
        "VER-5, VER-15: nothing takes the place of ours when the document is gone on the remote, or the folder around it: both sides stay",
        arguments: ["a", "f"])
    func goneThere(_ gone: String) throws {
        try conflict()
        var moved = try told("2", "theirs")
        moved.parentID = try ItemIdentifier("f")
        try storage.tell(storage.item("f", "f", kind: .folder), moved)
        let work = try storage.index.write { try $0.delete([ItemIdentifier(gone)], in: storage.domain) }.work
        let refusal = #expect(throws: DocumentError.self) { try resolve() }
        #expect(refusal?.code == .noSuchItem)
        for entry in work { try storage.store.perform(entry) }
        #expect(try storage.indexed("a").state == .conflict && older() == [])
        #expect(try storage.document("f/a.txt") == "ours")
        let kept = try #require(try storage.index.read { try $0.conflicts(in: storage.domain) }.first?.kept)
        #expect(try storage.read(storage.store.root.versions.path(of: kept)) == "theirs")
        // As it ends then.
        let ended = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true)
        #expect(ended.item.state == .changed)
        #expect(try storage.document("f/a.txt") == "ours")
    }

    @Test(
        "VER-5: killed while the remote's contents are put in place, it is resolved after a restart, and nothing is lost",
        arguments: JournalStep.allCases.filter { $0.action == .materialise })
    func killed(at step: JournalStep) throws {
        try conflict()
        storage.observe(StopAt(step))
        #expect(throws: StoppedByObserver.self) { try resolve() }
        try storage.reopen()
        _ = try storage.store.reconcile()
        let now = try storage.indexed("a")
        #expect([.placeholder, .materialised].contains(now.state))
        #expect(try storage.document("a.txt") == (now.state == .materialised ? "theirs" : nil))
        #expect(try older().contains("ours"))
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
        try storage.provide(told("2", "theirs"), "theirs")
        #expect(try storage.document("a.txt") == "theirs")
    }
}
