import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// What becomes of an item while something else is under way with it.
struct OvertakenTests {
    private func fixture() throws -> (StorageFixture, Item) {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        return (storage, item)
    }

    private func version(_ number: String) throws -> ItemVersion { try ItemVersion(content: Array(number.utf8)) }

    private func told(_ item: Item, _ number: String, _ contents: String = "one") throws -> Item {
        var item = item
        item.version = try version(number)
        item.size = Int64(contents.utf8.count)
        return item
    }

    private func gone(_ id: String) throws -> ItemChanges {
        ItemChanges(updated: [], deleted: [try ItemIdentifier(id)], anchor: try SyncAnchor([1]))
    }

    // MARK: Downloads and edits

    @Test("VER-10: what somebody writes to is not replaced by what comes from the remote")
    func beginWhileWritten() throws {
        let (storage, item) = try fixture()
        try storage.tell(told(item, "2", "theirs"))
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        let error = #expect(throws: DocumentError.self) {
            try storage.store.beginMaterialising(item.id, in: storage.domain)
        }
        #expect(error?.code == .busy)
        try storage.write("edited", to: storage.tree.path(of: storage.location("a.txt")))
        #expect(try storage.store.recordChange(change).state == .changed)
    }

    @Test(
        "VER-10: an edit of an item whose newer contents are just coming stays, and is to be sent, whether it has ended or not",
        arguments: [false, true])
    func editWhileComing(hasEnded: Bool) throws {
        let (storage, item) = try fixture()
        let theirs = try told(item, "2", "theirs")
        try storage.tell(theirs)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("theirs", to: coming.file.path)
        let change = try storage.store.expectChange(of: item.id, in: storage.domain)
        let path = storage.tree.path(of: try storage.location("a.txt"))
        if hasEnded {
            try storage.write("mine, and unsent", to: path)
            #expect(try storage.store.recordChange(change).state == .changed)
        }
        let error = #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: theirs) }
        #expect(error?.code == (hasEnded ? .unsyncedEdits : .busy))
        try storage.store.abandon(coming, because: error)
        if !hasEnded {
            #expect(try storage.indexed("a").state == .outdated)
            try storage.write("mine, and unsent", to: path)
            #expect(try storage.store.recordChange(change).state == .changed)
        }
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").synced == item.version)
        #expect(try storage.document("a.txt") == "mine, and unsent")
    }

    @Test("VER-10: an edit stays changed when the download that it overtook fails")
    func editWhileFailing() throws {
        let (storage, item) = try fixture()
        try storage.tell(told(item, "2", "theirs"))
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.edit("a", "mine, and unsent")
        try storage.store.abandon(coming, because: DocumentError(.serverUnreachable, "Away."))
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.document("a.txt") == "mine, and unsent")
    }

    @Test("VER-10: what is written to contents that have just come, before the index says so, is an edit of these")
    func editOfWhatCame() throws {
        let (storage, item) = try fixture()
        let theirs = try told(item, "2", "theirs")
        try storage.tell(theirs)
        let (store, domain) = (storage.store, storage.domain)
        let path = storage.tree.path(of: try storage.location("a.txt"))
        storage.observe(
            Meanwhile(at: .materialisePublished) {
                try TemporaryFile.write("mine, and unsent", to: path)
                _ = try store.recordChange(of: item.id, in: domain)
            })
        try storage.provide(theirs, "theirs")
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").synced == theirs.version)
        #expect(try storage.document("a.txt") == "mine, and unsent")
    }

    // MARK: Answers

    @Test("VER-10: an answer that comes after news of a newer version does not bring the older one back")
    func sentAndOvertaken() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let newest = try told(item, "3", "three")
        try storage.tell(newest)
        let now = try storage.store.finish(sending, as: told(item, "2", "two"))
        #expect(now.state == .outdated)
        #expect(now.item.version == newest.version)
        #expect(now.synced?.content == Array("2".utf8))
        // It is told once only.
        #expect(try storage.provide(newest, "three").state == .materialised)
        #expect(try storage.document("a.txt") == "three")
    }

    @Test("VER-10: contents that come after news of a newer version are outdated")
    func providedAndOvertaken() throws {
        let (storage, item) = try fixture()
        try storage.tell(told(item, "2", "two"))
        let newest = try told(item, "3", "three")
        let (store, domain) = (storage.store, storage.domain)
        storage.observe(Meanwhile(at: .materialisePublished) { _ = try store.apply([newest], in: domain) })
        let now = try storage.provide(told(item, "2", "two"), "two")
        #expect(now.state == .outdated)
        #expect(now.item.version == newest.version)
        #expect(now.synced?.content == Array("2".utf8))
    }

    @Test("VER-10: a conflict that is recorded after news of a newer version does not bring the older one back")
    func conflictAndOvertaken() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "mine")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.tell(told(item, "3", "three"))
        let now = try storage.store.recordConflict(
            sending, remote: told(item, "2", "two"), because: DocumentError(.inConflict, "Both."))
        #expect(now.state == .conflict)
        #expect(now.item.version.content == Array("3".utf8))
        let conflict = try #require(try storage.index.read { try $0.conflicts(in: storage.domain) }.first)
        #expect(conflict.remote.content == Array("2".utf8), "theirs was fetched in that version")
    }

    // MARK: Moves

    private func moved(_ item: Item, to name: String, _ metadata: [UInt8]) throws -> Item {
        var item = item
        item.name = try ItemName(name)
        item.version = try ItemVersion(content: item.version.content, metadata: metadata)
        return item
    }

    @Test("VER-10: an answer to a rename that comes after news of newer contents does not bring the older ones back")
    func renamedAndOvertaken() throws {
        let (storage, item) = try fixture()
        let change = try storage.store.beginRenaming(item.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        let newest = try told(item, "3", "three")
        try storage.tell(newest)
        let now = try storage.store.finish(change, as: moved(item, to: "b.txt", []))
        #expect(now.item.name?.rawValue == "b.txt")
        #expect(now.item.version.content == newest.version.content)
        #expect(now.item.size == 5)
        #expect(now.state == .outdated)
    }

    @Test(
        "an answer to a rename that comes after news of another place, or of a move back, does not take the item from there",
        arguments: ["c.txt", "a.txt"])
    func renamedAndMoved(name: String) throws {
        let (storage, item) = try fixture()
        let change = try storage.store.beginRenaming(item.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        let newest = try moved(item, to: name, [3])
        try storage.tell(newest)
        let now = try storage.store.finish(change, as: moved(item, to: "b.txt", [2]))
        #expect(now.item == newest)
        #expect(try storage.document(name) == "one")
        #expect(try storage.document("b.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("an answer to a sending that comes after news of a move does not take the item back")
    func sentAndMoved() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.tell(moved(item, to: "b.txt", [2]))
        let now = try storage.store.finish(sending, as: told(item, "2", "two"))
        #expect(now.item.name?.rawValue == "b.txt")
        #expect(now.item.version.content == Array("2".utf8))
        #expect(try storage.document("b.txt") == "two")
    }

    @Test("contents that come after news of a move do not take the item back")
    func providedAndMoved() throws {
        let (storage, item) = try fixture()
        let newest = try told(item, "2", "two")
        try storage.tell(newest)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("two", to: coming.file.path)
        try storage.tell(moved(newest, to: "b.txt", [3]))
        let now = try storage.store.finish(coming, as: newest)
        #expect(now.item.name?.rawValue == "b.txt")
        #expect(now.state == .materialised)
        #expect(try storage.document("b.txt") == "two")
        #expect(try storage.document("a.txt") == nil)
    }

    @Test("CONT-13: an answer to a rename that comes after news of a deletion does not bring the item back")
    func renamedAndGone() throws {
        let (storage, item) = try fixture()
        let change = try storage.store.beginRenaming(item.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        _ = try storage.store.apply(gone("a"), in: storage.domain)
        _ = try? storage.store.finish(change, as: moved(item, to: "b.txt", []))
        #expect(try storage.index.read { try $0.item(item.id, in: storage.domain) } == nil)
        #expect(try storage.document("a.txt") == nil)
        #expect(try storage.document("b.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test(
        "CONT-13: an answer that comes after news of a deletion does not bring the item back", arguments: [false, true])
    func sentAndGone(isBeingWritten: Bool) throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "two")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try storage.store.apply(gone("a"), in: storage.domain)
        let change = try isBeingWritten ? storage.store.expectChange(of: item.id, in: storage.domain) : nil
        let acknowledged = Result { try storage.store.finish(sending, as: told(item, "2", "two")) }
        if let change {
            // Whoever writes to it makes it anew, as every edit of what is gone (VER-15).
            _ = try acknowledged.get()
            try storage.write("three", to: storage.tree.path(of: storage.location("a.txt")))
            let now = try storage.store.recordChange(change)
            #expect(now.isGone && now.state == .changed)
            #expect(try storage.document("a.txt") == "three")
        } else {
            #expect(try storage.index.read { try $0.item(item.id, in: storage.domain) } == nil)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.index.read { try $0.journal() }.isEmpty)
        }
    }

    @Test("CONT-13: contents that come after news of a deletion do not bring the item back")
    func providedAndGone() throws {
        let (storage, item) = try fixture()
        try storage.tell(told(item, "2", "two"))
        let (store, domain, changes) = (storage.store, storage.domain, try gone("a"))
        storage.observe(
            Meanwhile(at: .materialisePublished) { _ = try store.apply(changes, in: domain, leavingWork: true) })
        #expect(try storage.provide(told(item, "2", "two"), "two").isGone)
        try storage.store.performOpenWork()
        #expect(try storage.index.read { try $0.item(item.id, in: storage.domain) } == nil)
        #expect(try storage.document("a.txt") == nil)
    }

    @Test("VER-5, VER-14: the local contents are kept against the version that is shown, not one that came since")
    func keepingLocal() throws {
        let (storage, item) = try fixture()
        try storage.edit("a", "mine")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try storage.store.recordConflict(
            sending, remote: told(item, "2", "theirs"), because: DocumentError(.inConflict, "Both."))
        try storage.tell(told(item, "3", "theirs, again"))
        let now = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true).item
        #expect(now.state == .changed)
        #expect(now.synced?.content == Array("2".utf8))
        #expect(now.item.version.content == Array("3".utf8))
    }

    // MARK: Removals

    @Test("CONT-13: what is told again while it is removed here stays known", arguments: ["a", "f"])
    func toldAgain(id: String) throws {
        let (storage, item) = try fixture()
        let folder = try storage.item("f", "F", kind: .folder)
        let inner = try storage.item("b", "b.txt", in: "f", contents: "inner")
        try storage.tell(folder, inner)
        try storage.provide(inner, "inner")
        let (store, domain) = (storage.store, storage.domain)
        storage.observe(Meanwhile(at: .removeCleared) { _ = try store.apply([item, folder], in: domain) })
        _ = try storage.store.apply(gone(id), in: storage.domain)
        let now = try storage.indexed(id)
        #expect(!now.isGone)
        let child = id == "f" ? ("b", "F/b.txt") : ("a", "a.txt")
        #expect(try storage.indexed(child.0).state == .placeholder)
        #expect(try storage.document(child.1) == nil)
        #expect(try storage.placeholder(child.1) != nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }
}
