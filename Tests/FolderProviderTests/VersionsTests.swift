import DocumentModel
import DocumentProvider
import SystemPackage
import Testing

@testable import FolderProvider

@Suite struct VersionsTests {
    private let fixture: FolderFixture

    init() throws {
        fixture = try FolderFixture()
        try fixture.write("current", to: "a.txt")
    }

    private static let digest = [UInt8](repeating: 7, count: 32)

    private func keeping(
        _ id: ItemIdentifier, _ text: String, operation: String = fresh(), role: ProvidedVersion.Role = .conflict
    ) throws -> VersionKeeping {
        VersionKeeping(
            id: id, contents: try fixture.contents(text), role: role,
            modified: Timestamp(seconds: 1000, nanoseconds: 5), savedBy: "ann's", sha256: Self.digest,
            operation: operation)
    }

    private func read(_ version: String, of id: ItemIdentifier, _ provider: FolderProvider) async throws -> String {
        let staging = try fixture.emptyStagingFile()
        _ = try await provider.provideVersion(version, of: id, at: staging, transfer: Transfer())
        return String(decoding: try fixture.readPath(staging.string), as: UTF8.self)
    }

    @Test("VER-2: what is kept is listed with all that was said of it, and counted in its item; it is no item itself")
    func keep() async throws {
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        let made = try await provider.keepVersion(try keeping(item.id, "side"), transfer: Transfer())
        #expect(
            made
                == ProvidedVersion(
                    id: made.id, role: .conflict, size: 4, modified: Timestamp(seconds: 1000, nanoseconds: 5),
                    savedBy: "ann's", sha256: Self.digest))
        #expect(try await provider.versions(of: item.id) == [made])
        #expect(try await read(made.id, of: item.id, provider) == "side")
        let now = try await provider.item(for: item.id)
        #expect(now.conflictVersions == 1)
        #expect(now.version.content == item.version.content && now.version.metadata != item.version.metadata)
        #expect(try await provider.list().map(\.name?.rawValue) == ["a.txt"])
        #expect(try fixture.read("a.txt") == "current")
        await expect(.invalidArgument) { _ = try await provider.create(VersionsFolder.name, nil) }
    }

    @Test("A repeated operation keeps nothing more, and an older version is no side of a conflict")
    func repeated() async throws {
        let provider = try await fixture.provider()
        let id = try await provider.item(at: "a.txt").id
        let first = try await provider.keepVersion(try keeping(id, "one", operation: "op"), transfer: Transfer())
        let again = try await provider.keepVersion(try keeping(id, "other", operation: "op"), transfer: Transfer())
        #expect(first == again)
        let older = try await provider.keepVersion(try keeping(id, "old", role: .older), transfer: Transfer())
        #expect(try await provider.versions(of: id) == [first, older])
        #expect(try await provider.item(for: id).conflictVersions == 1)
        #expect(try await read(first.id, of: id, provider) == "one")
    }

    @Test("VER-6: what is removed is gone for good, and once more is harmless")
    func remove() async throws {
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        let kept = try await provider.keepVersion(try keeping(item.id, "side"), transfer: Transfer())
        try fixture.write("other", to: "b.txt")
        // Another document's is not taken away.
        let stranger = try await provider.item(at: "b.txt").id
        try await provider.removeVersion(kept.id, of: stranger)
        #expect(try await provider.versions(of: item.id) == [kept])
        for _ in 0..<2 { try await provider.removeVersion(kept.id, of: item.id) }
        #expect(try await provider.versions(of: item.id).isEmpty)
        #expect(try await provider.item(for: item.id).conflictVersions == 0)
        #expect(try fixture.names(in: VersionsFolder.name).isEmpty)
        await expect(.versionNoLongerAvailable) { _ = try await read(kept.id, of: item.id, provider) }
        for hostile in ["", "..", "../a.txt", "a/b", String(repeating: "0", count: 32)] {
            try await provider.removeVersion(hostile, of: item.id)
            await expect(.versionNoLongerAvailable) { _ = try await read(hostile, of: item.id, provider) }
        }
        #expect(try fixture.read("a.txt") == "current")
    }

    @Test("Another provider of the same folder sees what is kept, hears of it by its feed, and removes it for both")
    func shared() async throws {
        let ann = try await fixture.provider()
        let ben = try await fixture.provider(state: fixture.otherState("ben"))
        let hers = try await ann.item(at: "a.txt")
        let his = try await ben.item(at: "a.txt")
        let anchor = try await ben.currentAnchor()
        let kept = try await ann.keepVersion(try keeping(hers.id, "side"), transfer: Transfer())
        let news = try await ben.changes(since: anchor, suggestedCount: 100)
        #expect(news.updated.map(\.conflictVersions) == [1] && news.updated.map(\.id) == [his.id])
        #expect(try await ben.versions(of: his.id) == [kept])
        #expect(try await read(kept.id, of: his.id, ben) == "side")
        // As many, and others.
        let other = try await ann.keepVersion(try keeping(hers.id, "newer"), transfer: Transfer())
        try await ann.removeVersion(kept.id, of: hers.id)
        let later = try await ben.changes(since: news.anchor, suggestedCount: 100)
        #expect(later.updated.map(\.conflictVersions) == [1])
        #expect(try await ben.versions(of: his.id) == [other])
        let before = try await ann.currentAnchor()
        try await ben.removeVersion(other.id, of: his.id)
        #expect(try await ann.changes(since: before, suggestedCount: 100).updated.map(\.conflictVersions) == [0])
    }

    @Test("A document keeps its versions when it is renamed, moved or replaced, by this provider or by others")
    func following() async throws {
        let ben = try fixture.otherState("ben")
        try fixture.makeFolder("in")
        let item = try await movedAndReplaced()
        // So they know who come later, and who were away.
        let provider = try await fixture.provider()
        #expect(try await provider.versions(of: item).count == 1)
        let other = try await fixture.provider(state: ben)
        #expect(try await other.list().filter { $0.conflictVersions > 0 }.map(\.name?.rawValue) == ["c.txt"])
    }

    /// The provider has ended when this returns.
    private func movedAndReplaced() async throws -> ItemIdentifier {
        let provider = try await fixture.provider()
        var item = try await provider.item(at: "a.txt")
        let kept = try await provider.keepVersion(try keeping(item.id, "side"), transfer: Transfer())
        item = try await provider.replace(try await provider.item(for: item.id), try fixture.contents("newer"))
        #expect(item.conflictVersions == 1)
        let folder = try await provider.item(at: "in").id
        item = try await provider.rename(item, to: "b.txt", in: folder)
        #expect(try await provider.versions(of: item.id) == [kept])
        // Somebody renames it, and an editor puts another file in its place.
        try fixture.rename("in", to: "out")
        try fixture.rename("out/b.txt", to: "c.txt")
        #expect(try await provider.item(at: "c.txt").conflictVersions == 1)
        try fixture.write("saved anew", to: "new")
        try fixture.rename("new", to: "c.txt")
        #expect(try await provider.item(at: "c.txt").conflictVersions == 1)
        return item.id
    }

    @Test("What went while no provider ran is told by the feed afterwards")
    func whileAway() async throws {
        let ben = try fixture.otherState("ben")
        var provider: FolderProvider? = try await fixture.provider()
        let id = try #require(try await provider?.item(at: "a.txt").id)
        let kept = try await provider?.keepVersion(try keeping(id, "side"), transfer: Transfer())
        let anchor = try #require(try await provider?.currentAnchor())
        provider = nil
        let other = try await fixture.provider(state: ben)
        try await other.removeVersion(try #require(kept).id, of: try await other.item(at: "a.txt").id)
        let later = try await fixture.provider()
        let news = try await later.changes(since: anchor, suggestedCount: 100)
        #expect(news.updated.map(\.conflictVersions) == [0])
    }

    @Test("What others put into the folder of versions is no version, and keeps none from being kept")
    func foreign() async throws {
        try fixture.makeFolder(VersionsFolder.name)
        let id = String(repeating: "a", count: 32)
        try fixture.makeFolder("\(VersionsFolder.name)/\(id)")
        try fixture.write("no note", to: "\(VersionsFolder.name)/\(id)/note")
        try fixture.write("x", to: "\(VersionsFolder.name)/loose")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        #expect(try await provider.versions(of: item.id).isEmpty)
        #expect(item.conflictVersions == 0)
        _ = try await provider.keepVersion(try keeping(item.id, "side"), transfer: Transfer())
        #expect(try await provider.versions(of: item.id).count == 1)
        let note = VersionNote(
            role: .conflict, key: FileKey(inode: 1, born: nil), path: [EntryName(try ItemName("a.txt"))],
            modified: .zero,
            savedBy: "", sha256: Self.digest
        ).bytes
        for length in 0..<note.count { #expect(VersionNote(Array(note.prefix(length))) == nil) }
        #expect(VersionNote(note + [0]) == nil && VersionNote(note)?.bytes == note)
    }

    @Test("No more versions are kept of a document than may be, and none of a folder or in a read-only one")
    func bounds() async throws {
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.txt")
        let note = VersionNote(
            role: .conflict, key: FileKey(inode: try fixture.inode("a.txt"), born: nil),
            path: [EntryName(try ItemName("a.txt"))], modified: .zero, savedBy: "", sha256: Self.digest)
        try fixture.makeFolder(VersionsFolder.name)
        for number in 0..<ProvidedVersion.mostOfOneDocument {
            // It appears as a whole, as all do.
            let made = "made"
            try fixture.makeFolder(made)
            try fixture.write("\(number)", to: made + "/contents")
            try fixture.write(note.bytes, toPath: fixture.path(made + "/note"))
            try fixture.rename(
                made, to: "\(VersionsFolder.name)/\(VersionsFolder.identifier(of: "\(number)"))")
        }
        #expect(try await provider.item(for: item.id).conflictVersions == ProvidedVersion.mostOfOneDocument)
        await expect(.insufficientQuota) {
            _ = try await provider.keepVersion(try keeping(item.id, "more"), transfer: Transfer())
        }
        #expect(try await provider.versions(of: item.id).count == ProvidedVersion.mostOfOneDocument)
        await expect(.invalidArgument) {
            _ = try await provider.keepVersion(try keeping(.root, "x"), transfer: Transfer())
        }
        let reader = try await fixture.provider(state: fixture.otherState("ro"), settings: ["read-only": "true"])
        let his = try await reader.item(at: "a.txt").id
        await expect(.notPermitted) { _ = try await reader.keepVersion(try keeping(his, "x"), transfer: Transfer()) }
    }
}
