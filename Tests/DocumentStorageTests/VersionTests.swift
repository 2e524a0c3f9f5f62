import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage
import Testing

/// What was in a document before its edits.
struct VersionTests {
    private func fixture() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        return (storage, item)
    }

    private func kept(_ storage: StorageFixture) throws -> [KeptVersion] {
        try storage.index.read { try $0.keptVersions(of: ItemIdentifier("a"), in: storage.domain) }
    }

    private func contents(_ version: KeptVersion, _ storage: StorageFixture) throws -> String? {
        try storage.read(storage.root.versions.path(of: version.kept))
    }

    private func send(_ item: Item, as version: String, _ storage: StorageFixture) throws {
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        var answer = item
        answer.version = try ItemVersion(content: Array(version.utf8))
        _ = try storage.store.finish(sending, as: answer)
    }

    @Test("VER-13: what an edit began from is kept until the edit is acknowledged, and is an older version then")
    func base() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let base = try #require(try kept(storage).first)
        #expect(base.role == .base)
        #expect(base.version == item.version)
        #expect(try contents(base, storage) == "one")
        // A second edit of the same change began from the same contents.
        try storage.edit("a", "three")
        #expect(try kept(storage) == [base])
        try send(item, as: "2", storage)
        let older = try #require(try kept(storage).first)
        #expect(older.role == .older)
        #expect(older.identifier == base.identifier, "VER-8")
        #expect(try contents(older, storage) == "one")
    }

    @Test("VER-13: a write that changes nothing leaves nothing")
    func unchanged() throws {
        let (storage, item) = try fixture()
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        #expect(try kept(storage).count == 1)
        _ = try storage.store.recordChange(change)
        #expect(try kept(storage).isEmpty)
    }

    @Test("VER-13: what is written while it is sent began from what was sent")
    func changedWhileSent() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.edit("a", "three")
        var answer = item
        answer.version = try ItemVersion(content: [2])
        _ = try storage.store.finish(sending, as: answer)
        let versions = try kept(storage)
        #expect(versions.map(\.role) == [.base, .older])
        #expect(try contents(versions[0], storage) == "two")
        #expect(try contents(versions[1], storage) == "one")
    }

    @Test("VER-8: older versions have their identifiers after a restart, and the newest ten are kept")
    func older() throws {
        let (storage, item) = try fixture()
        for number in 0..<12 {
            try storage.edit("a", "edit \(number)")
            try send(item, as: "v\(number)", storage)
        }
        let before = try kept(storage)
        #expect(before.count == DocumentStore.olderVersions)
        #expect(try contents(before[0], storage) == "edit 10")
        _ = try storage.store.reconcile()
        #expect(try kept(storage) == before)
    }

    @Test("VER-8: what was written here and is replaced by the remote's is an older version; what only came is not")
    func replacedByNewer() throws {
        let (storage, item) = try fixture()
        func told(_ version: UInt8) throws -> Item {
            var told = item
            told.version = try ItemVersion(content: [version])
            try storage.tell(told)
            return told
        }
        func older() throws -> [String?] { try kept(storage).map { try contents($0, storage) } }
        try storage.provide(told(2), "theirs")
        #expect(try older() == [])
        try storage.edit("a", "ours")
        try send(item, as: "3", storage)
        #expect(try older() == ["theirs"])
        try storage.provide(told(4), "theirs again")
        #expect(try older() == ["ours", "theirs"])
        try storage.provide(told(5), "and again")
        #expect(try older() == ["ours", "theirs"])
        #expect(try storage.document("a.txt") == "and again")
        #expect(try kept(storage).allSatisfy { $0.role == .older })
    }

    @Test("VER-7: what is about to be replaced drives out no other version before it is")
    func aboutToBeReplaced() throws {
        let (storage, item) = try fixture()
        for number in 0..<12 {
            try storage.edit("a", "edit \(number)")
            try send(item, as: "v\(number)", storage)
        }
        let before = try kept(storage)
        let replaced = try #require(try storage.store.keepReplaced(item.id, asVersionOf: item.id, in: storage.domain))
        #expect(try kept(storage).map(\.kept) == [replaced.kept] + before.map(\.kept))
        _ = try storage.store.removeVersions([replaced.identifier], of: item.id, in: storage.domain)
        #expect(try kept(storage) == before)
    }

    @Test("VER-5: a version is put back as a change that is sent, and what it replaced is kept")
    func restore() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        try send(item, as: "2", storage)
        let one = try #require(try kept(storage).first)
        let restored = try storage.store.restore(one.identifier, of: item.id, in: storage.domain).item
        #expect(restored.state == .changed)
        #expect(restored.synced?.content == Array("2".utf8))
        #expect(try storage.document("a.txt") == "one")
        let base = try #require(try kept(storage).first { $0.role == .base })
        #expect(try contents(base, storage) == "two")
        // Unsent changes have no other copy: they are kept, too.
        try storage.edit("a", "unsent")
        _ = try storage.store.restore(one.identifier, of: item.id, in: storage.domain)
        #expect(try kept(storage).contains { try contents($0, storage) == "unsent" })
        #expect(throws: DocumentError.self) { try storage.store.restore("none", of: item.id, in: storage.domain) }
    }

    @Test("VER-5: an evicted document's version comes back without its contents")
    func restoreEvicted() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        try send(item, as: "2", storage)
        _ = try storage.store.evict(item.id, in: storage.domain)
        let one = try #require(try kept(storage).first)
        _ = try storage.store.restore(one.identifier, of: item.id, in: storage.domain)
        #expect(try storage.document("a.txt") == "one")
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("A base that a crash has left is dropped at the next start, and so are the versions of what is gone")
    func crash() throws {
        let (storage, item) = try fixture()
        _ = try storage.store.expectChange(of: item.id, in: storage.domain)
        let base = try #require(try kept(storage).first)
        _ = try storage.store.reconcile()
        #expect(try kept(storage).isEmpty)
        #expect(try contents(base, storage) == nil)
    }
}
