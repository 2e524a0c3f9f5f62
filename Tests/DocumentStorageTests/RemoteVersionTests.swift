import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Synchronization
import SystemPackage
import Testing

/// What the remote has of a document, beside what is here.
struct RemoteVersionTests {
    /// “one” came from the remote, and was changed to “ours”; the remote has “theirs” by now.
    private func fixture() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "ours")
        var remote = item
        remote.version = try ItemVersion(content: Array("2".utf8))
        remote.size = 6
        remote.savedBy = "another"
        return (storage, remote)
    }

    private func fetch(_ remote: Item, _ contents: String, _ storage: StorageFixture) throws -> KeptVersion? {
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write(contents, to: room.file.path)
        return try storage.store.keepRemoteVersion(
            room.file, of: room.request, as: remote, sha256: nil, answering: storage.indexed(remote.id.rawValue)
        ).kept
    }

    private func kept(_ storage: StorageFixture) throws -> [KeptVersion] {
        try storage.index.read { try $0.keptVersions(of: ItemIdentifier("a"), in: storage.domain) }
    }

    private func contents(_ version: KeptVersion, _ storage: StorageFixture) throws -> String? {
        try storage.read(storage.root.versions.path(of: version.kept))
    }

    @Test(
        "VER-8: what the remote has is kept once, by the name that it had before it was here, and the edit stays unsent"
    )
    func keptOnce() throws {
        let (storage, remote) = try fixture()
        let name = KeptVersion.identifier(of: remote.version, of: remote.id)
        let first = try #require(try fetch(remote, "theirs", storage))
        #expect(first.identifier == name && first.device == "another")
        #expect(try contents(first, storage) == "theirs")
        #expect(try fetch(remote, "theirs", storage)?.identifier == name)
        #expect(try kept(storage).map(\.role) == [.fetched, .base])
        let item = try storage.indexed("a")
        #expect(item.state == .changed && item.item.version == remote.version)
        #expect(item.synced?.content != remote.version.content)
        #expect(try storage.document("a.txt") == "ours")
        #expect(item.newerRemoteVersion(besides: []) == remote.version)
    }

    @Test("VER-8: what a crash has left at its place, and no row names, is written over")
    func leftover() throws {
        let (storage, remote) = try fixture()
        let first = try #require(try fetch(remote, "theirs", storage))
        try DatabaseEdits.execute(
            "DELETE FROM kept_version WHERE role = 2",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        #expect(try kept(storage).count == 1)
        let again = try #require(try fetch(remote, "THEIRS", storage))
        #expect(again.kept == first.kept)
        #expect(try contents(again, storage) == "THEIRS")
    }

    @Test("VER-8: contents of another size than the provider says are refused, and nothing of them stays")
    func wrongSize() throws {
        let (storage, remote) = try fixture()
        #expect(throws: DocumentError.self) { try fetch(remote, "more than that", storage) }
        #expect(try kept(storage).map(\.role) == [.base])
        #expect(try storage.document("a.txt") == "ours")
    }

    @Test("VER-14: what the remote has takes the place of an edit, which is kept, and is no change")
    func agreed() throws {
        let (storage, remote) = try fixture()
        let theirs = try #require(try fetch(remote, "theirs", storage))
        let restored = try storage.store.restore(theirs.identifier, of: remote.id, in: storage.domain, agreed: true)
        #expect(restored.lost.map(\.kept) == [theirs.kept])
        #expect(try restored.gained.map { try contents($0, storage) } == ["ours"])
        let now = restored.item
        #expect(now.state == .materialised && now.synced?.content == remote.version.content)
        #expect(try storage.document("a.txt") == "theirs")
        #expect(now.newerRemoteVersion(besides: []) == nil)
        #expect(try Set(kept(storage).map { try contents($0, storage) }) == ["ours", "one"])
        #expect(try kept(storage).allSatisfy { $0.role == .older })
        // Nothing of it has changed, also for a host that starts.
        _ = try storage.store.reconcile()
        #expect(try storage.indexed("a").state == .materialised)
    }

    @Test("VER-14: where the remote went on since, what takes the edit's place is outdated")
    func overtaken() throws {
        let (storage, remote) = try fixture()
        let theirs = try #require(try fetch(remote, "theirs", storage))
        var next = remote
        next.version = try ItemVersion(content: Array("3".utf8))
        try storage.tell(next)
        let now = try storage.store.restore(theirs.identifier, of: remote.id, in: storage.domain, agreed: true).item
        #expect(now.state == .outdated && now.synced?.content == remote.version.content)
    }

    @Test(
        "VER-14, VER-15: an edit stays in its place when its document, or the folder around it, went on the remote meanwhile",
        arguments: ["a", "f"])
    func gone(_ gone: String) throws {
        let (storage, item) = try fixture()
        var remote = item
        remote.parentID = try ItemIdentifier("f")
        try storage.tell(storage.item("f", "f", kind: .folder), remote)
        let theirs = try #require(try fetch(remote, "theirs", storage))
        let outcome = try storage.index.write { try $0.delete([ItemIdentifier(gone)], in: storage.domain) }
        for entry in outcome.work { try storage.store.perform(entry) }
        #expect(throws: DocumentError.self) {
            try storage.store.restore(theirs.identifier, of: remote.id, in: storage.domain, agreed: true)
        }
        #expect(try storage.document("f/a.txt") == "ours")
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("VER-14: an interrupted sending of the edit that was dropped is not taken up")
    func interrupted() throws {
        let (storage, remote) = try fixture()
        let sending = try storage.store.beginSending(remote.id, in: storage.domain)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.read(sending.snapshot.path) == "ours")
        let theirs = try #require(try fetch(remote, "theirs", storage))
        _ = try storage.store.restore(theirs.identifier, of: remote.id, in: storage.domain, agreed: true)
        #expect(try storage.index.read { try $0.journal(of: remote.id, in: storage.domain) }.isEmpty)
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try kept(storage).contains { try contents($0, storage) == "ours" })
        #expect(try storage.read(sending.snapshot.path) == nil, "nobody needs the copy that was to be sent")
    }

    @Test("VER-8: what is fetched drives out nothing that was here, and the newest three of it stay")
    func keptApart() throws {
        let (storage, remote) = try fixture()
        let pruned = Mutex<[KeptVersion]>([])
        storage.store.versionNews.onPruned { _, _, versions in pruned.withLock { $0 += versions } }
        try storage.index.write { index in
            for number in 0..<DocumentStore.olderVersions {
                let older = KeptVersion(
                    itemID: remote.id, role: .older, version: .none, kept: "work/older\(number)/a.txt", size: 1,
                    modified: .zero)
                try index.addKeptVersion(older, in: storage.domain)
            }
        }
        var theirs = remote
        for number in 2..<8 {
            theirs.version = try ItemVersion(content: Array("\(number)".utf8))
            _ = try #require(try fetch(theirs, "their\(number)", storage))
        }
        let roles = try kept(storage).map(\.role)
        #expect(roles.filter { $0 == .older }.count == DocumentStore.olderVersions)
        #expect(roles.filter { $0 == .base }.count == 1)
        let fetched = try kept(storage).filter { $0.role == .fetched }
        #expect(try fetched.map { try contents($0, storage) } == ["their7", "their6", "their5"])
        #expect(pruned.withLock { $0 }.allSatisfy { $0.role == .fetched } && pruned.withLock { $0.count } == 3)
    }

    @Test("VER-8: what was fetched, and the document has become since, is no version beside it any more")
    func became() throws {
        let (storage, remote) = try fixture()
        _ = try #require(try fetch(remote, "theirs", storage))
        let sending = try storage.store.beginSending(remote.id, in: storage.domain)
        _ = try storage.store.finish(sending, as: remote)
        #expect(try !kept(storage).contains { $0.role == .fetched })
    }

    @Test("VER-8: the other side of a conflict is here already, and is not brought once more")
    func otherSide() throws {
        let (storage, remote) = try fixture()
        let sending = try storage.store.beginSending(remote.id, in: storage.domain)
        _ = try storage.store.recordConflict(
            sending, remote: remote, because: DocumentError(.inConflict, "Both were changed."))
        let known = try storage.store.knownRemoteVersion(remote.version, of: remote.id, in: storage.domain)
        #expect(try #require(known).kept == nil)
        let reason = try #require(try storage.index.read { try $0.conflicts(in: storage.domain) }.first?.reason)
        #expect(reason.hasSuffix(".") && reason.split(separator: ".").count == 1, "VER-13: one sentence: \(reason)")
    }

    @Test(
        "VER-14: when the index fails after the remote's contents took an edit's place, both are here after a restart")
    func indexFails() throws {
        let (storage, remote) = try fixture()
        let theirs = try #require(try fetch(remote, "theirs", storage))
        let path = storage.rootPath.appending(".docent").appending("index.sqlite")
        try DatabaseEdits.execute(
            "CREATE TRIGGER fails BEFORE UPDATE OF synced_content ON item BEGIN SELECT RAISE(ABORT, 'broken'); END",
            on: path)
        #expect(throws: (any Error).self) {
            try storage.store.restore(theirs.identifier, of: remote.id, in: storage.domain, agreed: true)
        }
        #expect(try storage.document("a.txt") == "theirs", "it was there already when the index failed")
        try DatabaseEdits.execute("DROP TRIGGER fails", on: path)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("a.txt") == "theirs")
        #expect(
            try storage.indexed("a").state == .changed, "a change like any other, until the remote has said what it has"
        )
        #expect(try kept(storage).contains { try contents($0, storage) == "ours" })
    }

    @Test("VER-8: what was fetched keeps its identifier when its item gets another one, and is not brought again")
    func renamed() throws {
        let (storage, remote) = try fixture()
        let theirs = try #require(try fetch(remote, "theirs", storage))
        let id = try ItemIdentifier("b")
        var made = remote
        (made.id, made.version, made.size) = (id, try ItemVersion(content: Array("7".utf8)), 4)
        _ = try storage.store.finish(storage.store.beginSending(remote.id, in: storage.domain), asNew: made)
        let known = try storage.store.knownRemoteVersion(remote.version, of: id, in: storage.domain)
        #expect(known?.kept?.identifier == theirs.identifier)
        // Another item comes to the old identifier, with a version of the same name.
        try storage.tell(storage.item("a", "c.txt", contents: "other"))
        var other = try storage.item("a", "c.txt", contents: "theirs too")
        other.version = remote.version
        _ = try fetch(other, "theirs too", storage)
        #expect(try contents(theirs, storage) == "theirs", "it was nobody else's to be replaced")
    }

    @Test("VER-14: what was kept of another document that was replaced is not taken for what an edit began from")
    func foreignVersion() throws {
        let (storage, remote) = try fixture()
        try storage.tell(storage.item("z", "z.txt", contents: "alien", version: "1"))
        try storage.provide(storage.item("z", "z.txt", contents: "alien", version: "1"), "alien")
        _ = try storage.store.keepReplaced(ItemIdentifier("z"), asVersionOf: remote.id, in: storage.domain)
        try DatabaseEdits.execute(
            "DELETE FROM kept_version WHERE role = 0",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        #expect(try kept(storage).map(\.version.content) == [Array("1".utf8)], "versions of the same name")
        let began = try ItemVersion(content: Array("1".utf8))
        let known = try storage.store.knownRemoteVersion(began, of: remote.id, in: storage.domain, needed: true)
        #expect(known == nil)
    }

    @Test("VER-14: what was sent meanwhile is not dropped any more")
    func sentMeanwhile() throws {
        let (storage, remote) = try fixture()
        let base = try #require(try kept(storage).first { $0.role == .base })
        let sending = try storage.store.beginSending(remote.id, in: storage.domain)
        var sent = remote
        sent.size = 4
        _ = try storage.store.finish(sending, as: sent)
        #expect(try storage.store.replaceEdit(of: remote.id, in: storage.domain, by: base.identifier) == nil)
        #expect(try storage.document("a.txt") == "ours")
    }

    @Test(
        "VER-14: what is written over on the remote is the newest of the older contents here, also when it was fetched before"
    )
    func overwritten() throws {
        let (storage, remote) = try fixture()
        let looked = try #require(try fetch(remote, "theirs", storage))
        let sending = try storage.store.beginSending(remote.id, in: storage.domain)
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write("theirs", to: room.file.path)
        let change = try storage.store.keepOverwritten(room.file, as: remote, by: sending)
        #expect(change.gained.isEmpty, "it was there")
        let older = try #require(try kept(storage).first)
        #expect(older.role == .older && older.identifier == looked.identifier)
        var next = remote
        next.version = try ItemVersion(content: Array("3".utf8))
        try storage.write("newer", to: room.file.path)
        let second = try storage.store.keepOverwritten(room.file, as: next, by: sending)
        #expect(try second.gained.map { try contents($0, storage) } == ["newer"])
    }

    @Test("VER-8: a version whose file is gone does not keep it from being brought again")
    func fileGone() throws {
        let (storage, remote) = try fixture()
        let theirs = try #require(try fetch(remote, "theirs", storage))
        try storage.root.versions.remove(theirs.kept)
        #expect(try storage.store.knownRemoteVersion(remote.version, of: remote.id, in: storage.domain) == nil)
        let again = try #require(try fetch(remote, "theirs", storage))
        #expect(try contents(again, storage) == "theirs")
        #expect(try kept(storage).filter { $0.role == .fetched }.count == 1)
    }
}
