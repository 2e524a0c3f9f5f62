import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Whose a file is that lies where its document does not.
struct StrayFileTests {
    private let storage: StorageFixture
    private let item: Item
    private let other: Item

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "mine")
        other = try storage.item("b", "b.txt", contents: "other")
        try storage.tell(item, other)
        try storage.provide(item, "mine")
    }

    private func rename(_ from: String, _ to: String) throws {
        let (from, to) = (try storage.location(from), try storage.location(to))
        try #require(Glibc.rename(storage.tree.path(of: from).string, storage.tree.path(of: to).string) == 0)
    }

    private func judge(_ name: String) throws -> StrayFile {
        try storage.store.judgeStray(named: ItemName(name), in: .root, of: storage.domain) { _ in nil }
    }

    @Test("DOWN-3: a document's file is its own also at the place of another one that has no contents here")
    func atAnothersPlace() throws {
        try rename("a.txt", "b.txt")
        guard case .moved(let found, let place) = try judge("b.txt") else {
            Issue.record("\(try judge("b.txt"))")
            return
        }
        #expect(found.id == item.id)
        #expect(place == (try storage.location("b.txt")))
    }

    @Test("DOWN-3: a document that cannot follow its file has it back, and what is at that place is what it was")
    func back() throws {
        try storage.edit("a", "changed")
        try rename("a.txt", "b.txt")
        #expect(try storage.store.putBack(item.id, in: storage.domain, from: storage.location("b.txt")))
        #expect(try storage.document("a.txt") == "changed" && storage.document("b.txt") == nil)
        #expect(try storage.placeholder("b.txt") != nil)
        #expect(try storage.store.beginSending(item.id, in: storage.domain).item.id == item.id)
        #expect(try !storage.store.putBack(item.id, in: storage.domain, from: storage.location("b.txt")))
    }

    @Test("DOWN-3: a file does not go back where something else lies by now")
    func takenPlace() throws {
        try rename("a.txt", "c.txt")
        try storage.write("new", to: storage.tree.path(of: storage.location("a.txt")))
        #expect(try !storage.store.putBack(item.id, in: storage.domain, from: storage.location("c.txt")))
        #expect(try storage.document("a.txt") == "new" && storage.document("c.txt") == "mine")
    }

    /// A folder “F” that the provider has, on disk.
    private func makeFolder() throws -> ItemIdentifier {
        let folder = try storage.item("f", "F", kind: .folder)
        try storage.tell(folder)
        try storage.tree.makeFolder(at: storage.location("F"))
        return folder.id
    }

    @Test("DOWN-3: files that are moved to another folder are found in one look, each for its document")
    func elsewhere() throws {
        try storage.provide(other, "other")
        let folder = try makeFolder()
        try rename("a.txt", "F/c.txt")
        try #require(unlink(storage.tree.path(of: storage.location("b.txt")).string) == 0)
        let found = try storage.store.movedFiles(besides: storage.indexed("a"))
        #expect(found.count == 2)
        let moved = try #require(found[item.id] ?? nil)
        #expect(moved.location == (try storage.location("F/c.txt")) && moved.folder == folder)
        #expect(try #require(found[other.id]) == nil)
    }

    @Test(
        "DOWN-3: one look finds all with changes that were not sent, wherever they were; of others those of one folder")
    func everywhere() throws {
        let folder = try makeFolder()
        let (inner, clean) = (
            try storage.item("c", "c.txt", in: "f", contents: "inner"),
            try storage.item("d", "d.txt", in: "f", contents: "clean")
        )
        try storage.tell(inner, clean)
        try storage.provide(inner, "inner")
        try storage.provide(clean, "clean")
        try storage.edit("c", "changed")
        try rename("F/c.txt", "moved.txt")
        try #require(unlink(storage.tree.path(of: storage.location("F/d.txt")).string) == 0)
        try #require(unlink(storage.tree.path(of: storage.location("a.txt")).string) == 0)
        let found = try storage.store.movedFiles(besides: storage.indexed("a"))
        #expect(Set(found.keys) == [item.id, inner.id])
        #expect(try #require(found[inner.id] ?? nil).location == (try storage.location("moved.txt")))
        #expect(folder == inner.parentID)
    }

    #if DEBUG
        @Test("A folder that cannot be looked into keeps nobody from what the remote has, and gives no change up")
        func unreadable() throws {
            _ = try makeFolder()
            try storage.provide(other, "other")
            try storage.edit("b", "changed")
            for name in ["a.txt", "b.txt"] {
                try #require(unlink(storage.tree.path(of: storage.location(name)).string) == 0)
            }
            let plan = FaultPlan()
            plan.fail(.readFolder, with: EACCES)
            try FaultPlan.$current.withValue(plan) {
                let found = try storage.store.movedFiles(besides: storage.indexed("a"))
                #expect(Set(found.keys) == [item.id])
                #expect(throws: DocumentError.self) {
                    try storage.store.movedFiles(besides: storage.indexed("b"))
                }
            }
            #expect(plan.calls.contains(.readFolder))
        }
    #endif

    @Test("DOWN-3: a file in another folder is its document's also without a stamp, where it was looked for")
    func expected() throws {
        let folder = try makeFolder()
        try storage.save("changed", to: storage.tree.path(of: storage.location("a.txt")))
        _ = try storage.store.recordChange(of: item.id, in: storage.domain)
        try rename("a.txt", "F/a.txt")
        let moved = try #require(try storage.store.movedFiles(besides: storage.indexed("a"))[item.id] ?? nil)
        #expect(moved.folder == folder)
        func judge(_ expected: ItemIdentifier?) throws -> StrayFile {
            try storage.store.judgeStray(
                named: ItemName("a.txt"), in: folder, of: storage.domain, expected: expected
            ) { _ in nil }
        }
        guard case .unknown = try judge(nil), case .moved(let found, _) = try judge(item.id) else {
            Issue.record("\(try judge(nil)) \(try judge(item.id))")
            return
        }
        #expect(found.id == item.id)
    }

    @Test("COORD-40: a document whose file was renamed over another one's has none any more: it is that one's contents")
    func savedOver() throws {
        try storage.provide(other, "other")
        try rename("a.txt", "b.txt")
        #expect(try storage.store.recordChange(of: other.id, in: storage.domain).state == .changed)
        #expect(try storage.store.movedFile(of: storage.indexed("a")) == nil)
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .placeholder)
        #expect(try storage.document("b.txt") == "mine")
    }

    @Test("DOWN-3: what the provider has moved to where somebody's file was goes there when that has left")
    func freedPlace() throws {
        let place = storage.tree.path(of: try storage.location("c.txt"))
        try storage.write("nobody's", to: place)
        try storage.tell(storage.item("a", "c.txt", contents: "mine", version: "2"))
        #expect(try storage.document("a.txt") == "mine" && storage.document("c.txt") == "nobody's")
        try #require(unlink(place.string) == 0)
        guard case .none = try judge("c.txt") else {
            Issue.record("There is a file.")
            return
        }
        #expect(try storage.document("a.txt") == nil && storage.document("c.txt") == "mine")
        #expect(try storage.indexed("a").item.name?.rawValue == "c.txt")
    }

    @Test("DOWN-3: a file at the place of a document without contents stays there when the document is moved")
    func leftAtMove() throws {
        let place = storage.tree.path(of: try storage.location("b.txt"))
        try storage.write("nobody's", to: place)
        try storage.tell(storage.item("b", "c.txt", contents: "other", version: "2"))
        #expect(try storage.document("b.txt") == "nobody's" && storage.document("c.txt") == nil)
        #expect(try storage.placeholder("b.txt") == nil && storage.placeholder("c.txt") != nil)
        try storage.provide(storage.item("b", "c.txt", contents: "other", version: "2"), "other")
        #expect(try storage.document("c.txt") == "other")
    }

    @Test("DOWN-3: a document that is moved on the remote takes its own contents along, which the index had lost")
    func ownAtMove() throws {
        let file = try #require(storage.indexed("a").local)
        try storage.index.write { try $0.setPlaceholder(item.id, in: storage.domain) }
        try storage.tell(storage.item("a", "c.txt", contents: "mine", version: "2"))
        #expect(try storage.document("a.txt") == nil && storage.document("c.txt") == "mine")
        #expect(try storage.indexed("a").local?.inode == file.inode)
        _ = try storage.store.apply(
            ItemChanges(updated: [], deleted: [item.id], anchor: SyncAnchor([1])), in: storage.domain)
        #expect(try storage.document("c.txt") == nil)
    }

    @Test("DOWN-3: a document that is moved on the remote takes along what somebody has written to contents of its own")
    func ownEditAtMove() throws {
        try storage.write("mine, and more", to: storage.tree.path(of: storage.location("a.txt")))
        try storage.index.write { try $0.setPlaceholder(item.id, in: storage.domain) }
        try storage.tell(storage.item("a", "c.txt", contents: "mine", version: "1"))
        #expect(try storage.document("a.txt") == nil && storage.document("c.txt") == "mine, and more")
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        _ = try storage.store.apply(
            ItemChanges(updated: [], deleted: [item.id], anchor: SyncAnchor([1])), in: storage.domain)
        #expect(try storage.document("c.txt") == "mine, and more")
    }
}
