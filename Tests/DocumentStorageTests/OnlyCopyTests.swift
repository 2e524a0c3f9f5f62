import DocumentModel
import DocumentTestSupport
import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// Contents that are nowhere else.
struct OnlyCopyTests {
    private func fixture() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        return (storage, item)
    }

    private func answer(_ item: Item, _ version: String) throws -> Item {
        var answer = item
        answer.version = try ItemVersion(content: Array(version.utf8))
        return answer
    }

    private func kept(_ storage: StorageFixture, _ id: ItemIdentifier) throws -> [String?] {
        try storage.index.read { try $0.keptVersions(of: id, in: storage.domain) }
            .map { try storage.read(storage.root.versions.path(of: $0.kept)) }
    }

    /// An item's row cannot be changed, as on a disk that is full, or when the host ends before it is.
    private func withoutRows(_ storage: StorageFixture, _ body: () throws -> Void) throws {
        let path = storage.rootPath.appending(".docent").appending("index.sqlite")
        try DatabaseEdits.execute(
            "CREATE TRIGGER refusing BEFORE UPDATE OF local_inode ON item BEGIN SELECT RAISE(ABORT, 'no'); END",
            on: path)
        try body()
        try DatabaseEdits.execute("DROP TRIGGER refusing", on: path)
    }

    // MARK: Removing a domain

    @Test("AUTH-6: a domain is not removed when one of its documents is saved while the others are looked at")
    func editWhileRemovingDomain() throws {
        let (storage, _) = try fixture()
        let other = try storage.item("b", "b.txt", contents: "other")
        try storage.tell(other)
        try storage.provide(other, "other")
        // With another name its look is written down, and tells that the one before it is over.
        let path = storage.tree.path(of: try storage.location("a.txt"))
        try FileSystemMoves.hardLink(
            storage.tree.path(of: try storage.location("b.txt")), storage.folder.appending("other"))
        let isSaved = Atomic<Bool>(false)
        storage.index.onWrite {
            guard !isSaved.exchange(true, ordering: .relaxed) else { return }
            try? TemporaryFile.write("saved at the last moment", to: path)
        }
        let error = #expect(throws: DocumentError.self) {
            try storage.store.removeDomain(storage.domain, discardingEdits: false)
        }
        let hasInterfered = isSaved.load(ordering: .relaxed)
        #expect(hasInterfered)
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "saved at the last moment")
        #expect(try storage.document("b.txt") == "other", "nothing is removed")
        #expect(try storage.indexed("b").state == .materialised)
    }

    @Test("AUTH-6: a domain is not removed when a change is recorded while the others are looked at")
    func changeWhileRemovingDomain() throws {
        let (storage, _) = try fixture()
        let other = try storage.item("b", "b.txt", contents: "other")
        try storage.tell(other)
        try storage.provide(other, "other")
        try FileSystemMoves.hardLink(
            storage.tree.path(of: try storage.location("b.txt")), storage.folder.appending("other"))
        let path = storage.tree.path(of: try storage.location("a.txt"))
        let (store, domain, id) = (storage.store, storage.domain, try ItemIdentifier("a"))
        let isSaved = Atomic<Bool>(false)
        storage.index.onWrite {
            guard !isSaved.exchange(true, ordering: .relaxed) else { return }
            try? TemporaryFile.write("saved at the last moment", to: path)
            _ = try? store.recordChange(of: id, in: domain)
        }
        let error = #expect(throws: DocumentError.self) { try store.removeDomain(domain, discardingEdits: false) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("a.txt") == "saved at the last moment")
        #expect(try storage.document("b.txt") == "other", "nothing is removed")
    }

    @Test("a domain is removed while others still look at its documents' files, which are gone one by one")
    func looksWhileRemovingDomain() throws {
        let (storage, _) = try fixture()
        let ids = try (0..<60).map { number in
            let folder = try storage.item("f\(number)", "folder \(number)", kind: .folder)
            let document = try storage.item("d\(number)", "d.txt", in: "f\(number)", contents: "contents")
            try storage.tell(folder, document)
            try storage.provide(document, "contents")
            return document.id
        }
        let (store, domain) = (storage.store, storage.domain)
        let isOver = Atomic<Bool>(false)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isOver.load(ordering: .relaxed) {
                for id in ids { _ = try? store.recordChange(of: id, in: domain) }
            }
            hasEnded.signal()
        }
        let removal = Result { try store.removeDomain(domain, discardingEdits: false) }
        isOver.store(true, ordering: .relaxed)
        hasEnded.wait()
        try removal.get()
        #expect(access(storage.tree.path(of: Location(domain: domain)).string, F_OK) != 0, "nothing of it is left")
    }

    // MARK: Restoring a version

    @Test("VER-5: unsent changes that a restored version replaces are written down as kept before they are replaced")
    func crashWhileRestoring() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try storage.store.finish(sending, as: answer(item, "2"))
        let one = try #require(
            try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.first)
        try storage.edit("a", "unsent")
        try withoutRows(storage) {
            #expect(throws: DocumentError.self) {
                try storage.store.restore(one.identifier, of: item.id, in: storage.domain)
            }
        }
        try storage.reopen()
        _ = try storage.store.reconcile()
        let isInPlace = try storage.document("a.txt") == "unsent"
        #expect(try isInPlace || kept(storage, item.id).contains("unsent"))
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test("VER-5: a version that is restored while an edit is acknowledged begins from that edit")
    func restoringWhileAcknowledged() async throws {
        let storage = try StorageFixture()
        for round in 0..<10 {
            let item = try storage.item("a\(round)", "a\(round).txt", contents: "one")
            try storage.tell(item)
            try storage.provide(item, "one")
            try storage.edit(item.id.rawValue, "two")
            let one = try #require(
                try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }.first)
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            let (store, domain, acknowledged) = (storage.store, storage.domain, try answer(item, "2"))
            try await Race.run {
                _ = try store.finish(sending, as: acknowledged)
            } _: {
                _ = try store.restore(one.identifier, of: item.id, in: domain)
            }
            let now = try storage.indexed(item.id.rawValue)
            #expect(now.state == .changed, "round \(round)")
            #expect(now.synced?.content == Array("2".utf8), "round \(round)")
            #expect(try storage.document("a\(round).txt") == "one")
            #expect(try kept(storage, item.id).contains("two"))
        }
    }

    // MARK: Sending

    @Test("PROV-12: killed before an answer is recorded, the host asks with the same contents, also when edited since")
    func crashBeforeAnswerIsRecorded() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.edit("a", "three")
        try withoutRows(storage) {
            #expect(throws: DocumentError.self) { try storage.store.finish(sending, as: answer(item, "2")) }
        }
        try storage.reopen()
        let pending = try storage.store.reconcile().pending
        #expect(pending.map(\.action) == [.send])
        let resumed = try storage.store.resumeSending(try #require(pending.first))
        #expect(resumed.operation == sending.operation)
        #expect(try storage.read(resumed.snapshot.path) == "two")
        let now = try storage.store.finish(resumed, as: answer(item, "2"))
        #expect(now.state == .changed && now.synced?.content == Array("2".utf8))
        #expect(try storage.document("a.txt") == "three")
    }
}
