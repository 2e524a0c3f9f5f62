import DocumentModel
import DocumentProvider
import Glibc
import SystemPackage
import Testing

@testable import FolderProvider

/// Files whose names are longer than an item's when what no item may have is shown by something else.
@Suite struct LongNameTests {
    private let fixture: FolderFixture

    init() throws {
        fixture = try FolderFixture()
    }

    /// 240 bytes, which are four times as many when they are shown, with an ending.
    private static let bytes = [UInt8](repeating: 0xFF, count: 236) + Array(".txt".utf8)
    /// The same but for one byte, where nobody sees it.
    private static let other = [UInt8](repeating: 0xFF, count: 235) + Array("a.txt".utf8)

    /// What it is shown by shows nothing of what no item may have, so that a file may really be called so.
    private static let plain = [UInt8](repeating: UInt8(ascii: "a"), count: 236) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

    private func shown(_ bytes: [UInt8]) throws -> String { try ItemName(shortening: bytes).rawValue }

    private func path(_ bytes: [UInt8], in folder: String = "") -> [CChar] {
        (Array(fixture.path(folder + "/").utf8) + bytes + [0]).map { CChar(bitPattern: $0) }
    }

    private func exists(_ bytes: [UInt8], in folder: String = "") -> Bool { access(path(bytes, in: folder), F_OK) == 0 }

    private func write(_ text: String, _ bytes: [UInt8], in folder: String = "") throws {
        try fixture.write(text, toPath: fixture.path(folder + "/"), name: bytes)
    }

    private func read(_ bytes: [UInt8], in folder: String = "") throws -> String {
        let file = try fixture.call(open(path(bytes, in: folder), O_RDONLY))
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = try fixture.call(Glibc.read(file, &buffer, buffer.count))
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    @Test("Each is listed by a name of its own, of 255 bytes at most, with its ending; the same after a restart")
    func listed() async throws {
        try write("one", Self.bytes)
        try write("two", Self.other)
        var provider: FolderProvider? = try await fixture.provider()
        let first = try #require(try await provider?.list())
        #expect(first.count == 2 && Set(first.compactMap(\.name)).count == 2)
        #expect(Set(first.compactMap { $0.name?.rawValue }) == [try shown(Self.bytes), try shown(Self.other)])
        #expect(first.allSatisfy { $0.name?.pathExtension == "txt" && $0.name?.rawValue.utf8.count ?? 0 <= 255 })
        #expect(first.allSatisfy { $0.contentType == .plainText })
        provider = nil
        let again = try await fixture.provider().list()
        #expect(Set(again.map(\.id)) == Set(first.map(\.id)) && Set(again.map(\.version)) == Set(first.map(\.version)))
        #expect(Set(again.compactMap(\.name)) == Set(first.compactMap(\.name)))
        // A memory that was lost changes nothing of it.
        #expect(FolderFixture.remove(fixture.state.string) == 0)
        try fixture.call(mkdir(fixture.state.string, 0o700))
        let anew = try await fixture.provider().list()
        #expect(Set(anew.compactMap(\.name)) == Set(first.compactMap(\.name)))
    }

    @Test("Its contents are read, replaced and removed, and keep their name on the disk")
    func contents() async throws {
        try write("one", Self.bytes)
        try write("two", Self.other)
        let provider = try await fixture.provider()
        let item = try await provider.item(at: try shown(Self.bytes))
        #expect(try await provider.path(for: item.id) == (try shown(Self.bytes)))
        let (provided, text) = try await provider.contents(of: item.id, fixture)
        #expect(provided == item && text == "one")
        let replaced = try await provider.replace(item, try fixture.contents("changed"))
        #expect(replaced.id == item.id && replaced.name == item.name)
        #expect(try read(Self.bytes) == "changed" && read(Self.other) == "two")
        try await provider.delete(replaced)
        #expect(!exists(Self.bytes) && exists(Self.other))
        #expect(try fixture.names().count == 1)
    }

    @Test("The name that it has already is none to give; another one is used as it is")
    func renamed() async throws {
        try write("one", Self.bytes)
        let provider = try await fixture.provider()
        let item = try await provider.item(at: try shown(Self.bytes))
        let same = try await provider.rename(item, to: try shown(Self.bytes))
        #expect(same.name == item.name && exists(Self.bytes))
        let plain = try await provider.rename(same, to: "plain.txt")
        #expect(plain.id == item.id && plain.name?.rawValue == "plain.txt")
        #expect(plain.version.content == item.version.content)
        #expect(try fixture.read("plain.txt") == "one" && fixture.names() == ["plain.txt"])
    }

    @Test("What is moved keeps its name on the disk, whether the host names it or not", arguments: [true, false])
    func moved(isNamed: Bool) async throws {
        try write("one", Self.bytes)
        try fixture.makeFolder("sub")
        let provider = try await fixture.provider()
        let item = try await provider.item(at: try shown(Self.bytes))
        let sub = try await provider.item(at: "sub")
        let moved = try await provider.rename(item, to: isNamed ? try shown(Self.bytes) : nil, in: sub.id)
        #expect(moved.id == item.id && moved.name == item.name && moved.parentID == sub.id)
        #expect(!exists(Self.bytes) && exists(Self.bytes, in: "sub"))
        let path = "sub/" + (try shown(Self.bytes))
        #expect(try await provider.persistentIdentifier(forItemAt: path) == item.id)
    }

    @Test("A folder that is called so is listed, filled and removed, and what is in it is found by its path")
    func folder() async throws {
        let name = [UInt8](repeating: 0x0A, count: 200)
        try fixture.call(mkdir(path(name), 0o755))
        try write("x", Array("/x".utf8), in: String(decoding: name, as: UTF8.self))
        let provider = try await fixture.provider()
        let folder = try await provider.item(at: try shown(name))
        #expect(folder.kind == .folder)
        let inner = try await provider.item(at: try shown(name) + "/x")
        #expect(inner.parentID == folder.id)
        #expect(try await provider.contents(of: inner.id, fixture).1 == "x")
        _ = try await provider.create("y", try fixture.contents("y"), in: folder.id)
        #expect(exists(name + Array("/y".utf8)))
        try await provider.delete(folder, recursive: true)
        #expect(try fixture.names().isEmpty)
    }

    @Test("PROV-21: the feed tells of it, as it is made, written, moved and removed by other programs")
    func feed() async throws {
        let provider = try await fixture.provider()
        let start = try await provider.currentAnchor()
        try write("one", Self.bytes)
        let made = try await provider.changes(since: start, suggestedCount: 10)
        #expect(made.updated.map { $0.name?.rawValue } == [try shown(Self.bytes)])
        let id = try #require(made.updated.first?.id)
        try write("other", Self.bytes)
        let written = try await provider.changes(since: made.anchor, suggestedCount: 10)
        #expect(written.updated.map(\.id) == [id] && written.deleted.isEmpty)
        try fixture.call(Glibc.rename(path(Self.bytes), path(Self.other)))
        let renamed = try await provider.changes(since: written.anchor, suggestedCount: 10)
        #expect(renamed.updated.map(\.id) == [id] && renamed.deleted.isEmpty)
        #expect(renamed.updated.map { $0.name?.rawValue } == [try shown(Self.other)])
        #expect(renamed.updated.map(\.version.content) == written.updated.map(\.version.content))
        try fixture.call(Glibc.unlink(path(Self.other)))
        #expect(try await provider.changes(since: renamed.anchor, suggestedCount: 10).deleted == [id])
    }

    @Test("CONT-12: a file that is really called so is another item, and neither is ever taken for the other")
    func reallyCalledSo() async throws {
        let name = try shown(Self.plain)
        try write("long", Self.plain)
        try fixture.write("short", to: name)
        let provider = try await fixture.provider()
        var texts: [String: Item] = [:]
        for item in try await provider.list() {
            let text = try await provider.contents(of: item.id, fixture).1
            #expect(item.name?.rawValue == name)
            texts[text] = item
        }
        let (long, short) = (try #require(texts["long"]), try #require(texts["short"]))
        #expect(try await provider.item(at: name).id == short.id)
        _ = try await provider.replace(long, try fixture.contents("long, changed"))
        #expect(try read(Self.plain) == "long, changed" && fixture.read(name) == "short")
        try await provider.delete(short)
        #expect(!fixture.exists(name) && exists(Self.plain))
        #expect(try await provider.item(at: name).id == long.id)
        #expect(try await provider.list().map(\.id) == [long.id])
    }

    @Test("CONT-12: nothing is given a name that would be shown as another's in its folder is")
    func collisions() async throws {
        let name = try shown(Self.plain)
        try write("long", Self.plain)
        try fixture.write("plain", to: "plain")
        try fixture.makeFolder("sub")
        try fixture.write("short", to: "sub/" + name)
        let provider = try await fixture.provider()
        let plain = try await provider.item(at: "plain")
        let long = try await provider.item(at: name)
        let sub = try await provider.item(at: "sub")
        await expect(.nameCollision) { _ = try await provider.create(name, try fixture.contents("mine")) }
        await expect(.nameCollision) { _ = try await provider.create(name, nil) }
        await expect(.nameCollision) { _ = try await provider.rename(plain, to: name) }
        await expect(.nameCollision) { _ = try await provider.rename(long, in: sub.id) }
        #expect(try read(Self.plain) == "long" && fixture.read("plain") == "plain")
        #expect(try fixture.read("sub/" + name) == "short")
        // Elsewhere it is a name as any other.
        try fixture.makeFolder("free")
        let free = try await provider.item(at: "free")
        let made = try await provider.create(name, try fixture.contents("copy"), in: free.id)
        #expect(made.name?.rawValue == name)
        #expect(try fixture.read("free/" + name) == "copy")
    }

    @Test("A crash at any step of a change of it leaves the old state or the new one", arguments: ChangeStep.allCases)
    func crash(_ step: ChangeStep) async throws {
        try write("old", Self.bytes)
        try fixture.makeFolder("sub")
        var domain: FolderDomain? = try fixture.domain { if $0 == step { throw SimulatedCrash() } }
        let id = try #require(try domain?.persistentIdentifier(forItemAt: try shown(Self.bytes)))
        let sub = try #require(try domain?.persistentIdentifier(forItemAt: "sub"))
        let item = try #require(try domain?.item(for: id))
        let change = ItemModification(
            id: id, baseVersion: item.version, contents: try fixture.contents("new"), parentID: sub, operation: "op")
        _ = try? domain?.modify(change, .none)
        domain = nil
        let again = try fixture.domain()
        let made = try again.modify(change, .none)
        #expect(made.id == id && made.name == item.name)
        #expect(try read(Self.bytes, in: "sub") == "new")
        #expect(!exists(Self.bytes))
        #expect(try fixture.names(in: "sub").count == 1 && fixture.names().count == 1)
    }

    @Test("Sides of conflicts stay with it over a restart")
    func keptVersions() async throws {
        try write("one", Self.bytes)
        var provider: FolderProvider? = try await fixture.provider()
        let item = try #require(try await provider?.item(at: try shown(Self.bytes)))
        let keeping = VersionKeeping(
            id: item.id, contents: try fixture.contents("side"), role: .conflict, modified: .zero, savedBy: nil,
            sha256: [UInt8](repeating: 7, count: 32), operation: fresh())
        let kept = try #require(try await provider?.keepVersion(keeping, transfer: Transfer()))
        provider = nil
        let again = try await fixture.provider()
        #expect(try await again.versions(of: item.id).map(\.id) == [kept.id])
        #expect(try await again.item(for: item.id).conflictVersions == 1)
    }

    @Test("What is found in the place of another is kept under a name that fits, with its ending")
    func recovered() throws {
        let name = try Self.bytes.withUnsafeBufferPointer { try #require(EntryName(onDisk: $0)) }
        for number in [1, 20] {
            let kept = RecoveredName.make(for: name, number)
            #expect(try ItemName(kept).pathExtension == "txt" && kept.contains("(recovered"))
        }
        let long = EntryName(try ItemName(String(repeating: "ä", count: 120) + ".pdf"))
        #expect(RecoveredName.make(for: long, 1) == String(repeating: "ä", count: 100) + " (recovered).pdf")
        let short = EntryName(try ItemName("a.b.txt"))
        #expect(RecoveredName.make(for: short, 2) == "a.b (recovered 2).txt")
    }

    @Test("What was written down of a name is read again, and of nothing else")
    func written() throws {
        let name = try Self.bytes.withUnsafeBufferPointer { try #require(EntryName(onDisk: $0)) }
        #expect(EntryName(written: name.rawValue) == name)
        #expect(DiskName.path(name.rawValue).dropLast().map { UInt8(bitPattern: $0) } == Self.bytes)
        let long = String(repeating: "n", count: 300)
        for text in ["", ".", "a/b", "a\n", long, long + "‛41", String(repeating: "∕", count: 100)] {
            #expect(EntryName(written: text) == nil, "\(text)")
        }
    }
}
