import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Places that were recorded before a folder around them got another name, which the tree on disk has not followed yet.
struct PlaceInTimeTests {
    private let storage: StorageFixture

    /// “a/f/x.txt” and “a/k.txt”, with contents.
    init() throws {
        storage = try StorageFixture()
        // Somebody uses all of them.
        storage.store.follower.handOver { _ in }
        let folder = try storage.item("a", "a", kind: .folder)
        let inner = try storage.item("f", "f", in: "a", kind: .folder)
        let beside = try storage.item("k", "k.txt", in: "a", contents: "beside")
        let document = try storage.item("x", "x.txt", in: "f", contents: "orig")
        try storage.list(.root, folder)
        try storage.list(folder.id, inner, beside)
        try storage.list(inner.id, document)
        try storage.provide(beside, "beside")
        try storage.provide(document, "orig")
    }

    /// The remote has them elsewhere, and somebody uses them.
    private func tell(_ id: String, _ name: String, in parent: String = "/") throws {
        var item = try storage.indexed(id).item
        (item.name, item.parentID) = (try ItemName(name), try ItemIdentifier(parent))
        item.version = try ItemVersion(content: item.version.content, metadata: Array("\(parent) \(name)".utf8))
        _ = try storage.store.apply([item], in: storage.domain, leavingWork: true)
    }

    private func openWork() throws -> [JournalEntry] {
        try storage.index.read { try $0.openTreeWork(in: storage.domain) }
    }

    private func performOpenWork() throws {
        for _ in 0..<3 { for entry in try openWork() { try? storage.store.perform(entry) } }
    }

    /// A file that is nobody's, where something is to come to.
    private func putInTheWay(at name: String) throws -> FilePath {
        let path = try storage.tree.path(of: storage.location(name))
        try storage.write("nobody's", to: path)
        return path
    }

    private func onDisk(_ id: String) throws -> String? {
        let place = try storage.index.read { try $0.diskLocation(of: ItemIdentifier(id), in: storage.domain) }
        return try storage.read(storage.tree.path(of: #require(place)))
    }

    @Test(
        "A folder is not moved at once while something is to leave it, also when the folder around it was renamed since that was recorded"
    )
    func relocated() throws {
        try tell("a", "b")
        try tell("x", "y.txt")
        try tell("a", "a")
        func relocate() throws -> JournalEntry? {
            try storage.store.relocate(
                ItemIdentifier("f"), in: storage.domain, from: storage.location("a/f"), to: ItemIdentifier("a"),
                name: ItemName("g"))
        }
        #expect(try relocate() == nil)
        try performOpenWork()
        #expect(try relocate() != nil)
        #expect(try storage.document("y.txt") == "orig")
    }

    @Test("A document that cannot leave its folder stays in it, also when that was renamed since this was recorded")
    func takenBack() throws {
        try tell("x", "y.txt")
        try tell("a", "b")
        let path = try putInTheWay(at: "y.txt")
        try? storage.store.perform(#require(openWork().first))
        #expect(
            try storage.index.read { try $0.location(of: ItemIdentifier("x"), in: storage.domain) }
                == storage.location("b/f/x.txt"))
        #expect(try onDisk("x") == "orig")
        try performOpenWork()
        #expect(try openWork().isEmpty)
        #expect(try storage.document("b/f/x.txt") == "orig")
        #expect(unlink(path.string) == 0)
        try storage.store.perform(try storage.index.write { try $0.retryWanted(in: storage.domain) })
        #expect(try storage.document("y.txt") == "orig")
    }

    @Test("A document that cannot leave a folder does not go with that when the remote has removed it")
    func removedAround() throws {
        try tell("x", "y.txt", in: "/")
        _ = try storage.index.write { try $0.delete([ItemIdentifier("a")], in: storage.domain) }
        let path = try putInTheWay(at: "y.txt")
        try performOpenWork()
        #expect(try storage.document("a/k.txt") == nil)
        #expect(try onDisk("x") == "orig")
        #expect(unlink(path.string) == 0)
        try performOpenWork()
        #expect(try storage.document("y.txt") == "orig")
        #expect(try storage.indexed("x").state == .materialised)
    }
}
