import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// What the index takes of what a provider tells of the tree of items.
struct ItemIndexTreeTests {
    @Test("Orphans, cycles, and things in documents are kept out with an error")
    func brokenTrees() throws {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("f", "F", kind: .folder), storage.item("g", "G", in: "f", kind: .folder),
            storage.item("d", "doc"))
        for item in [
            try storage.item("o", "orphan", in: "nobody"), try storage.item("c", "c", in: "c", kind: .folder),
            try storage.item("f", "F", in: "g", kind: .folder), try storage.item("f", "F", in: "f", kind: .folder),
            try storage.item("i", "in a document", in: "d"), try storage.item("/", "root", in: "f", kind: .folder),
        ] {
            let outcome = try storage.store.apply([item], in: storage.domain)
            #expect(outcome.rejected.count == 1, "\(item.id)")
            #expect(outcome.rejected.first?.error.code == .contractBroken)
        }
        #expect(
            try storage.index.read { try $0.location(of: ItemIdentifier("g"), in: storage.domain) }?.description
                == "work:/F/G")
        #expect(
            try storage.index.read { try $0.counts(of: storage.domain) }
                == ItemCounts(documents: 1, folders: 2, byState: [:]))
    }

    @Test("Items may come before their folders within one page")
    func childrenFirst() throws {
        let storage = try StorageFixture()
        let outcome = try storage.tell(
            storage.item("d", "doc", in: "g"), storage.item("g", "G", in: "f", kind: .folder),
            storage.item("f", "F", kind: .folder))
        #expect(outcome.rejected.isEmpty)
        #expect(
            try storage.index.read { try $0.location(of: ItemIdentifier("d"), in: storage.domain) }?.description
                == "work:/F/G/doc")
    }

    @Test("Folders that are nested without end are refused at a depth")
    func tooDeep() throws {
        let storage = try StorageFixture()
        var items = [try storage.item("0", "n", kind: .folder)]
        for depth in 1..<600 { items.append(try storage.item("\(depth)", "n", in: "\(depth - 1)", kind: .folder)) }
        let outcome = try storage.index.write { try $0.apply(items, in: storage.domain) }
        #expect(!outcome.rejected.isEmpty)
        #expect(outcome.inserted + outcome.rejected.count >= 512)
        // And can be removed as a whole.
        let removed = try storage.index.write { try $0.delete([ItemIdentifier("0")], in: storage.domain) }
        #expect(removed.deleted == outcome.inserted)
    }

    @Test("A deleted folder takes its items along, but not those that moved out in the same page")
    func deleteFolder() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", in: "f", contents: "hello")
        try storage.tell(storage.item("f", "F", kind: .folder), storage.item("b", "b.txt", in: "f"), item)
        try storage.provide(item, "hello")
        let changes = ItemChanges(
            updated: [try storage.item("a", "a.txt", contents: "hello")], deleted: [try ItemIdentifier("f")],
            anchor: try SyncAnchor([7]))
        _ = try storage.store.apply(changes, in: storage.domain)
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.document("a.txt") == "hello")
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
        #expect(try storage.index.read { try $0.domain(storage.domain) }?.anchor?.bytes == [7])
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: storage.tree.path(of: storage.location("F"))) }
    }

    @Test("Documents that a remote rename finds materialised move along, alone and with their folder")
    func remoteRename() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", in: "f", contents: "hello")
        try storage.tell(storage.item("f", "F", kind: .folder), item)
        try storage.provide(item, "hello")
        try storage.tell(
            storage.item("f", "Renamed", kind: .folder), storage.item("a", "b.txt", in: "f", contents: "hello"))
        #expect(try storage.document("Renamed/b.txt") == "hello")
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.edit("a", "edited").state == .changed)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A newer version makes contents outdated; the old one again, current")
    func outdated() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        try storage.tell(storage.item("a", "a.txt", version: "2"))
        #expect(try storage.indexed("a").state == .outdated)
        #expect(try storage.document("a.txt") == "hello")
        try storage.tell(item)
        #expect(try storage.indexed("a").state == .materialised)
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "3")
        try storage.tell(newer)
        try storage.provide(newer, "newer")
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.document("a.txt") == "newer")
    }

    @Test("An edit made while a newer version comes is never overwritten")
    func editedWhileOutdated() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("newer", to: coming.file.path)
        try storage.write("edited", to: storage.tree.path(of: storage.location("a.txt")))
        let error = #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: newer) }
        #expect(error?.code == .unsyncedEdits)
        try storage.store.abandon(coming, because: error)
        #expect(try storage.document("a.txt") == "edited")
        let changed = try storage.store.recordChange(of: item.id, in: storage.domain)
        #expect(changed.state == .changed)
        #expect(changed.synced == item.version)
    }
}
