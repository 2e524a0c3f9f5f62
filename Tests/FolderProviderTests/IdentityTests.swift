import DocumentModel
import DocumentProvider
import Glibc
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Identity of items")
struct IdentityTests {
    let fixture: FolderFixture
    let provider: FolderProvider

    init() async throws {
        fixture = try FolderFixture()
        provider = try await fixture.provider()
    }

    @Test("ID-4, ID-9: an identifier survives renaming and moving, and so does the content version")
    func survivesRenameAndMove() async throws {
        try fixture.write("text", to: "a.txt")
        try fixture.makeFolder("sub")
        let before = try await provider.item(at: "a.txt")
        try fixture.rename("a.txt", to: "sub/b.txt")
        let after = try await provider.item(for: before.id)
        #expect(after.name?.rawValue == "b.txt")
        #expect(try await provider.path(for: before.id) == "sub/b.txt")
        #expect(after.version.content == before.version.content)
        #expect(after.version.metadata != before.version.metadata)
    }

    @Test("ID-1, ID-9: identifiers and versions are the same after a restart, also of what moved meanwhile")
    func survivesRestart() async throws {
        let other = try FolderFixture()
        var provider: FolderProvider? = try await other.provider()
        try other.write("one", to: "one")
        try other.makeFolder("sub")
        try other.write("two", to: "sub/two")
        let before = try #require(try await provider?.tree())
        provider = nil
        try other.rename("sub", to: "bus")
        try other.rename("bus/two", to: "zwei")
        let after = try await other.provider().tree()
        #expect(after["one"] == before["one"])
        #expect(after["bus"]?.id == before["sub"]?.id)
        #expect(after["zwei"]?.id == before["sub/two"]?.id)
        #expect(after["zwei"]?.version.content == before["sub/two"]?.version.content)
    }

    @Test("ID-9: most identifiers come back when the provider's state was lost")
    func survivesLossOfState() async throws {
        let other = try FolderFixture()
        var provider: FolderProvider? = try await other.provider()
        try other.write("one", to: "one")
        let before = try #require(try await provider?.item(at: "one"))
        provider = nil
        #expect(FolderFixture.remove(other.state.string) == 0)
        try other.call(mkdir(other.state.string, 0o700))
        #expect(try await other.provider().item(at: "one").id == before.id)
    }

    @Test("ID-1: a file that gets the inode of a removed one is another item")
    func recycledInode() async throws {
        try fixture.write("first", to: "first")
        let first = try await provider.item(at: "first")
        let inode = try fixture.inode("first")
        try fixture.unlink("first")
        await expect(.noSuchItem) { _ = try await provider.item(for: first.id) }
        for attempt in 0..<50 {
            let name = "second\(attempt)"
            try fixture.write("second", to: name)
            #expect(try await provider.item(at: name).id != first.id)
            if try fixture.inode(name) == inode { return }
        }
    }

    @Test("ID-1: within one batch, a recycled inode under another name is another item")
    func recycledInodeAtOnce() async throws {
        try fixture.write("first", to: "first")
        let first = try await provider.item(at: "first")
        try fixture.unlink("first")
        try fixture.write("second", to: "second")
        let second = try await provider.item(at: "second")
        #expect(second.id != first.id)
        await expect(.noSuchItem) { _ = try await provider.item(for: first.id) }
    }

    @Test("ID-9: a document stays the same when an editor saves it", arguments: EditorSave.allCases)
    func editorSave(_ save: EditorSave) async throws {
        try fixture.write("old", to: "doc.txt")
        let before = try await provider.item(at: "doc.txt")
        try save.run(in: fixture)
        let after = try await provider.item(at: "doc.txt")
        #expect(after.id == before.id)
        #expect(after.version.content != before.version.content)
        #expect(try await provider.contents(of: before.id, fixture).1 == "new")
    }

    @Test("ID-9: the same, when the temporary file was seen in between", arguments: EditorSave.allCases)
    func editorSaveSeen(_ save: EditorSave) async throws {
        try fixture.write("old", to: "doc.txt")
        let before = try await provider.item(at: "doc.txt")
        try fixture.write("new", to: "doc.txt.tmp")
        _ = try await provider.list()
        try save.run(in: fixture)
        #expect(try await provider.item(at: "doc.txt").id == before.id)
    }

    @Test("ID-4: documents that exchange their names keep their identifiers")
    func exchangedNames() async throws {
        try fixture.write("A", to: "a")
        try fixture.write("B", to: "b")
        let (a, b) = (try await provider.item(at: "a"), try await provider.item(at: "b"))
        try fixture.rename("a", to: "c")
        try fixture.rename("b", to: "a")
        try fixture.rename("c", to: "b")
        #expect(try await provider.item(for: a.id).name?.rawValue == "b")
        #expect(try await provider.item(for: b.id).name?.rawValue == "a")
        #expect(try await provider.item(for: a.id).version.content == a.version.content)
    }

    @Test("ID-4: a document that is renamed, and another one made under its old name, are two")
    func renamedAndReplaced() async throws {
        try fixture.write("A", to: "report")
        let before = try await provider.item(at: "report")
        try fixture.rename("report", to: "report-2025")
        try fixture.write("B", to: "report")
        #expect(try await provider.item(for: before.id).name?.rawValue == "report-2025")
        #expect(try await provider.item(at: "report").id != before.id)
    }

    @Test("Two names of one file are two items")
    func hardLinks() async throws {
        try fixture.write("A", to: "a")
        try fixture.call(link(fixture.path("a"), fixture.path("b")))
        let tree = try await provider.tree()
        #expect(tree.count == 2)
        #expect(tree["a"]?.id != tree["b"]?.id)
        try fixture.rename("b", to: "c")
        let (a, b) = (try #require(tree["a"]), try #require(tree["b"]))
        #expect(try await provider.path(for: a.id) == "a")
        #expect(try await provider.path(for: b.id) == "c")
    }

    @Test("ID-1, ID-2, ID-3: identifiers and paths are inverse for every item; unknown ones are nil")
    func roundTrip() async throws {
        try fixture.makeFolder("a")
        try fixture.makeFolder("a/b")
        try fixture.write("x", to: "a/b/c d.txt")
        for (path, item) in try await provider.tree() {
            #expect(try await provider.path(for: item.id) == path.string)
            #expect(try await provider.persistentIdentifier(forItemAt: path.string) == item.id)
        }
        #expect(try await provider.path(for: .root) == "")
        #expect(try await provider.persistentIdentifier(forItemAt: "") == .root)
        for path in ["nothing", "a/../a", "..", "a/b/c d.txt/x", "a/\u{1}"] {
            #expect(try await provider.persistentIdentifier(forItemAt: path) == nil)
        }
        for text in ["nonsense", "0000000000001", "zzzzzzzzzzzzz", "0000000000000"] {
            #expect(try await provider.path(for: try ItemIdentifier(text)) == nil)
        }
    }
}

/// How programs save `doc.txt`, which holds "old", with "new".
enum EditorSave: String, CaseIterable {
    case inPlace
    case renameOver
    case renameOverLikeGEdit
    case backupByRename
    case backupByRenameRemoved
    case exchangeByThird
    case unlinkAndCreate

    func run(in fixture: FolderFixture) throws {
        switch self {
        case .inPlace:
            try fixture.write("new", to: "doc.txt")
        case .renameOver:
            try fixture.write("new", to: "doc.txt.tmp")
            try fixture.rename("doc.txt.tmp", to: "doc.txt")
        case .renameOverLikeGEdit:
            try fixture.write("new", to: ".goutputstream-ABC123")
            try fixture.rename("doc.txt", to: "doc.txt~")
            try fixture.rename(".goutputstream-ABC123", to: "doc.txt")
        case .backupByRename:
            try fixture.rename("doc.txt", to: "doc.txt~")
            try fixture.write("new", to: "doc.txt")
        case .backupByRenameRemoved:
            try fixture.rename("doc.txt", to: "doc.txt~")
            try fixture.write("new", to: "doc.txt")
            try fixture.unlink("doc.txt~")
        case .exchangeByThird:
            try fixture.write("new", to: "A1B2C3.tmp")
            try fixture.rename("doc.txt", to: "D4E5F6.tmp")
            try fixture.rename("A1B2C3.tmp", to: "doc.txt")
            try fixture.unlink("D4E5F6.tmp")
        case .unlinkAndCreate:
            try fixture.unlink("doc.txt")
            try fixture.write("new", to: "doc.txt")
        }
    }
}
