import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// What the remote has of a document that is removed here with changes that were not sent.
struct TrashedSidesTests {
    private let storage: StorageFixture
    private let item: Item

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "ours")
    }

    private func remote() throws -> Item {
        var remote = item
        remote.version = try ItemVersion(content: [2])
        remote.size = 6
        remote.modified = Timestamp(seconds: 1_700_000_000)
        return remote
    }

    private func theirs(_ room: (request: StagingRequest, file: StagedFile)) throws -> StagedFile {
        let remote = try remote()
        try storage.write("theirs", to: room.file.path)
        return try room.request.verify(
            room.file, size: remote.size,
            stamp: ItemStamp(
                domain: storage.domain, id: item.id, contentVersion: remote.version.content, size: 6,
                modified: remote.modified))
    }

    private func conflict(isFetched: Bool = true) throws {
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        _ = try storage.store.recordConflict(
            sending, remote: remote(), theirs: isFetched ? theirs(room) : nil,
            because: DocumentError(.inConflict, "Both."))
    }

    private func fetch() throws {
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write("theirs", to: room.file.path)
        _ = try storage.store.keepRemoteVersion(
            room.file, of: room.request, as: remote(), sha256: nil, answering: storage.indexed("a"), needed: true)
    }

    private func remove(skippingTrash: Bool = false) throws {
        let change = try storage.store.beginRemoving(
            item.id, in: storage.domain, discardingEdits: true, skippingTrash: skippingTrash)
        try storage.store.finishRemoving(change)
    }

    private func trash() throws -> [TrashedDocument] {
        try storage.index.read { try $0.trash(.all, limit: 100) }.map(\.document)
    }

    private func trashed() throws -> [String?] {
        try trash().map { try storage.read(storage.root.trash.path(of: $0.id, in: storage.domain)) }
    }

    private func unseen() throws -> [ItemIdentifier] {
        try storage.store.unseenSides(within: item.id, in: storage.domain).map(\.id)
    }

    @Test("VER-2, CONT-13: both sides of a conflict are in the trash when the document is removed")
    func bothSides() throws {
        try conflict()
        #expect(try unseen() == [])
        try remove()
        #expect(try trashed() == ["ours", "theirs"])
        #expect(try trash().map { "\($0.location)" } == ["work:/a.txt", "work:/a.txt"])
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
        let found = try trash()
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try trash() == found)
    }

    @Test("VER-2, CONT-13: what was fetched of the remote beside an edit is in the trash when the document is removed")
    func fetchedSide() throws {
        try storage.tell(remote())
        #expect(try unseen() == [item.id], "nobody here has seen what the remote has")
        try fetch()
        #expect(try unseen() == [])
        try remove()
        #expect(try trashed() == ["ours", "theirs"])
    }

    @Test("VER-2: where the other side of a conflict could not be fetched, it comes before the document is removed")
    func unfetchedSide() throws {
        try conflict(isFetched: false)
        #expect(try unseen() == [item.id])
        try fetch()
        #expect(try unseen() == [])
        try remove()
        #expect(try trashed().contains("theirs") && trashed().first == "ours")
    }

    @Test("CONT-13: what is to go for good leaves no side of a conflict")
    func forGood() throws {
        try conflict()
        let kept = try #require(try storage.index.read { try $0.conflicts(in: storage.domain) }.first?.kept)
        try remove(skippingTrash: true)
        #expect(try trashed() == [])
        #expect(try storage.root.versions.status(of: kept) == nil)
    }

    @Test("VER-2: the other side of a conflict whose file is gone is in the trash when the document is removed")
    func withoutFile() throws {
        try conflict()
        #expect(try unlink(storage.tree.path(of: storage.location("a.txt")).string) == 0)
        _ = try storage.store.recordChange(of: item.id, in: storage.domain)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try storage.store.drop(item.id, in: storage.domain, discardingEdits: true) != nil)
        #expect(try trashed() == ["theirs"])
    }

    @Test("VER-2: what an earlier version has left of a conflict when its document was removed is in the trash")
    func forgotten() throws {
        try conflict()
        _ = try storage.index.write { try $0.deleteCleared(item.id, in: storage.domain) }
        #expect(try unlink(storage.tree.path(of: storage.location("a.txt")).string) == 0)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try trashed() == ["theirs"])
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
    }

    @Test("Who wants to remove a document in conflict is told how it ends, and how both sides go")
    func told() throws {
        try conflict()
        let error = try #require(throws: DocumentError.self) {
            try storage.store.beginRemoving(item.id, in: storage.domain)
        }
        #expect(error.code == .inConflict)
        #expect(
            error.message.contains("docent resolve work:/a.txt") && error.message.contains("--discard-unsent"),
            "\(error.message)")
    }
}
