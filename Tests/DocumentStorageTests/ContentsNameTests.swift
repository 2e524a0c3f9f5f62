import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// What contents are called, as current ones and whatever becomes of them (VER-8).
struct ContentsNameTests {
    private let storage: StorageFixture
    private let item: Item

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
    }

    private func current() throws -> String {
        let now = try storage.indexed("a")
        return try storage.index.read { try $0.currentName(of: now) }
    }

    private func kept() throws -> [KeptVersion] {
        try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }
    }

    /// What is kept, by what it is called.
    private func contents() throws -> [String: String?] {
        let named = try kept().map { ($0.identifier, try storage.read(storage.root.versions.path(of: $0.kept))) }
        return Dictionary(named) { first, _ in first }
    }

    private func told(_ version: String, _ contents: String) throws -> Item {
        var told = item
        told.version = try ItemVersion(content: Array(version.utf8))
        told.size = Int64(contents.utf8.count)
        return told
    }

    @discardableResult
    private func send(as version: String) throws -> Item {
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let answer = try told(version, "any")
        _ = try storage.store.finish(sending, as: answer)
        return answer
    }

    @Test("VER-8: what came from the remote is called the same before it is here, while it is, and as an older version")
    func came() throws {
        let before = try current()
        #expect(before == KeptVersion.identifier(of: item.version, of: item.id))
        try storage.provide(item, "one")
        #expect(try current() == before)
        try storage.edit("a", "two")
        #expect(try contents() == [before: "one"])
        try send(as: "2")
        #expect(try contents() == [before: "one"])
        #expect(try kept().map(\.role) == [.older])
    }

    @Test("VER-8: what was written here is called the same when it is sent, over a restart, and as an older version")
    func written() throws {
        try storage.provide(item, "one")
        let one = try current()
        try storage.edit("a", "two, written")
        let two = try current()
        #expect(two != one)
        try send(as: "2")
        #expect(try current() == two)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try current() == two)
        try storage.edit("a", "three")
        #expect(try current() != two)
        #expect(try contents() == [one: "one", two: "two, written"])
    }

    @Test("VER-8: what was sent is called the same when it was evicted and has come again")
    func evicted() throws {
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        let two = try current()
        let sent = try send(as: "2")
        _ = try storage.store.evict(item.id, in: storage.domain)
        #expect(try storage.document("a.txt") == nil)
        #expect(try current() == two)
        try storage.provide(sent, "two")
        #expect(try current() == two)
        try storage.edit("a", "three")
        #expect(try contents()[two] == "two")
    }

    @Test("VER-8: what is edited while it is sent is found by what it was called until then")
    func editedWhileSent() throws {
        try storage.provide(item, "one")
        try storage.edit("a", "two, written")
        let two = try current()
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        try storage.edit("a", "three")
        _ = try storage.store.finish(sending, as: told("2", "two, written"))
        #expect(try contents()[two] == "two, written")
        #expect(try current() != two)
    }

    /// Other contents of the same size, with the time that the file had.
    private func rewriteUnseen(_ text: String) throws {
        let path = storage.tree.path(of: try storage.location("a.txt"))
        let modified = try #require(try storage.tree.file(at: storage.location("a.txt"))).modified
        try storage.write(text, to: path)
        let time = timespec(tv_sec: Int(modified.seconds), tv_nsec: Int(modified.nanoseconds))
        #expect(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
    }

    @Test(
        "VER-8: what is written into a file that was sent, with its time set back, is not called as what was in it before"
    )
    func writtenUnseen() throws {
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        var names = [try current()]
        for (number, text) in ["six", "ten", "new"].enumerated() {
            let sending = try storage.store.beginSending(item.id, in: storage.domain)
            try rewriteUnseen(text)
            _ = try storage.store.finish(sending, as: told("\(number + 2)", text))
            #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
            names.append(try current())
        }
        #expect(Set(names).count == names.count)
        let kept = try contents()
        #expect(kept[names[0]] == "two" && kept[names[1]] == "six" && kept[names[2]] == "ten")
        // By the name that it has now it is found when it was sent, too.
        try send(as: "9")
        #expect(try current() == names[3])
    }

    @Test("VER-8: an edit that a version replaces before it was sent is called the same as an older version")
    func replacedUnsent() throws {
        try storage.provide(item, "one")
        let one = try current()
        try storage.edit("a", "two, written")
        let two = try current()
        _ = try storage.store.restore(one, of: item.id, in: storage.domain)
        #expect(try storage.document("a.txt") == "one")
        #expect(try contents() == [one: "one", two: "two, written"])
    }

    @Test("VER-8: both sides of a conflict are called the same before it, in it and when somebody has chosen")
    func conflict() throws {
        try storage.provide(item, "one")
        try storage.edit("a", "ours")
        let ours = try current()
        let remote = try told("2", "theirs")
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        let room = try storage.store.makeRoomForRemoteVersion(in: storage.domain)
        try storage.write("theirs", to: room.file.path)
        let stamp = ItemStamp(
            domain: storage.domain, id: item.id, contentVersion: remote.version.content, size: 6,
            modified: remote.modified)
        let theirs = try room.request.verify(room.file, size: remote.size, stamp: stamp)
        _ = try storage.store.recordConflict(
            sending, remote: remote, theirs: theirs, because: DocumentError(.inConflict, "Both."))
        let name = KeptVersion.identifier(of: remote.version, of: item.id)
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.map(\.identifier) == [name])
        #expect(try current() == ours)
        let change = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: false)
        #expect(change.gained.map(\.identifier) == [ours])
        #expect(try storage.document("a.txt") == "theirs")
        #expect(try current() == name)
        #expect(try contents()[ours] == "ours")
    }

    @Test("VER-8: no two that are kept have one name, also where the remote has what was here before")
    func cameBack() throws {
        try storage.provide(item, "one")
        let one = try current()
        try storage.edit("a", "two")
        try send(as: "2")
        try storage.tell(item)
        try storage.provide(item, "one")
        #expect(try current() == one)
        try storage.edit("a", "three")
        let names = try kept().map(\.identifier)
        #expect(Set(names).count == names.count)
        #expect(try contents()[one] == "one")
    }

    @Test("VER-7: what is here once more drives none of the older versions out")
    func isHereOnceMore() throws {
        try storage.provide(item, "one")
        let one = try current()
        for number in 1...DocumentStore.olderVersions {
            try storage.edit("a", "edit \(number)")
            try send(as: "v\(number)")
        }
        #expect(try contents()[one] == "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        // The last edit is kept, as it was written here, and “one” is the oldest of eleven, but not older just now.
        #expect(try kept().count == DocumentStore.olderVersions + 1)
        #expect(try current() == one)
    }

    @Test("VER-8: what an earlier version has kept is called what it was called, and what it has sent by its version")
    func migrated() throws {
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        try send(as: "2")
        try storage.root.close()
        try DatabaseEdits.execute(
            DatabaseEdits.toVersion28 + "PRAGMA user_version = 28",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        let root = try StorageRoot(at: storage.rootPath, logger: storage.logger)
        defer { try? root.close() }
        try root.index.read { index in
            let older = try #require(try index.keptVersions(of: item.id, in: storage.domain).first)
            #expect(older.identifier == VersionStore.identifier(of: older.kept))
            let now = try #require(try index.item(item.id, in: storage.domain))
            let version = try ItemVersion(content: Array("2".utf8))
            #expect(try index.currentName(of: now) == KeptVersion.identifier(of: version, of: item.id))
        }
    }
}
