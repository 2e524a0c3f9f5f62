import DocumentModel
import DocumentTestSupport
import Glibc
import Logging
import SystemPackage
import Testing

@testable import DocumentStorage

@Suite struct ThumbnailStoreTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    private var folder: FilePath { fixture.rootPath.appending(".docent/thumbnails/work") }

    private func key(_ id: String, _ version: String = "1", size: Int = 128) throws -> ThumbnailKey {
        ThumbnailKey(
            domain: fixture.domain, id: try ItemIdentifier(id), contentVersion: Array(version.utf8), size: size)
    }

    private func picture(_ width: Int, bytes: Int = 0) throws -> Thumbnail {
        try Thumbnail(TestPicture.png(width, 10) + [UInt8](repeating: 0, count: bytes))
    }

    private func files() throws -> [String] {
        guard let listing = opendir(folder.string) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    @Test("PICK-17: a thumbnail is kept for its version and size, over restarts, and for no other version")
    func versions() throws {
        let first = try picture(1)
        try fixture.root.thumbnails.keep(first, for: key("a")) { true }
        for _ in 0..<2 {
            #expect(try fixture.root.thumbnails.thumbnail([key("a")]) == first)
            #expect(try fixture.root.thumbnails.thumbnail([key("a", "2")]) == nil)
            #expect(try fixture.root.thumbnails.thumbnail([key("b")]) == nil)
            #expect(try fixture.root.thumbnails.thumbnail([key("a", size: 256)]) == nil)
            #expect(try fixture.root.thumbnails.thumbnail([key("a", size: 256), key("a")]) == first)
            try fixture.reopen()
        }
        // The place of one version is taken by the next one.
        let second = try picture(2)
        try fixture.root.thumbnails.keep(second, for: key("a", "2")) { true }
        #expect(try fixture.root.thumbnails.thumbnail([key("a", "2")]) == second)
        #expect(try fixture.root.thumbnails.thumbnail([key("a")]) == nil)
        #expect(try files().count == 1)
        let mode = try #require(status(of: try files()[0])).st_mode
        #expect(mode & 0o077 == 0, "nobody else reads it")
    }

    private func status(of name: String) -> stat? {
        var status = stat()
        return stat(folder.appending(name).string, &status) == 0 ? status : nil
    }

    @Test("PICK-17: what is not wanted any more at the last moment is not kept, and nothing half stays")
    func unwanted() throws {
        try fixture.root.thumbnails.keep(picture(1), for: key("a")) { false }
        #expect(try files() == [])
        try fixture.root.thumbnails.keep(picture(1), for: key("b")) { true }
        try TemporaryFile.write("half", to: folder.appending(".new-1"))
        try fixture.reopen()
        #expect(try fixture.root.thumbnails.usage().count == 1)
        #expect(try files().count == 1)
    }

    @Test("PICK-17: what was damaged on the disk is no thumbnail, wherever it was damaged")
    func damaged() throws {
        let picture = try picture(3)
        try fixture.root.thumbnails.keep(picture, for: key("a")) { true }
        let file = folder.appending(try files()[0])
        let descriptor = try FileDescriptor.open(file, .readOnly)
        var whole = [UInt8](
            repeating: 0, count: Int(try #require(status(of: file.lastComponent?.string ?? "")).st_size))
        _ = try descriptor.closeAfter { try whole.withUnsafeMutableBytes { try descriptor.read(into: $0) } }
        #expect(ThumbnailFile(whole, in: fixture.domain)?.thumbnail == picture)
        for place in whole.indices {
            var damaged = whole
            damaged[place] ^= 0x20
            #expect(ThumbnailFile(damaged, in: fixture.domain)?.thumbnail ?? picture == picture)
            #expect(ThumbnailFile(Array(whole.prefix(place)), in: fixture.domain) == nil)
        }
        whole[whole.count - 1] ^= 1
        try write(whole, to: file)
        #expect(try fixture.root.thumbnails.thumbnail([key("a")]) == nil)
        #expect(try files() == [], "it is of no use")
    }

    private func write(_ bytes: [UInt8], to file: FilePath) throws {
        let descriptor = try FileDescriptor.open(file, .writeOnly, options: .truncate)
        _ = try descriptor.closeAfter { try descriptor.writeAll(bytes) }
    }

    @Test("PICK-17: thumbnails take no more room than they may; what was used longest ago leaves")
    func bounded() throws {
        let own = try DirectoryHandle(trusting: fixture.folder.string)
        let store = try ThumbnailStore(in: own, bytes: 40_000, count: 1_000, logger: fixture.logger)
        for number in 0..<30 {
            try store.keep(picture(5, bytes: 4_000), for: key("\(number)")) { true }
            _ = try store.thumbnail([key("0")])
            #expect(try store.usage().bytes <= 40_000)
        }
        #expect(try store.thumbnail([key("0")]) != nil, "it is in use")
        #expect(try store.thumbnail([key("29")]) != nil)
        #expect(try store.thumbnail([key("1")]) == nil)
        let few = try ThumbnailStore(
            in: try own.makingFolders(["few"]), bytes: 1 << 20, count: 16, logger: fixture.logger)
        for number in 0..<40 { try few.keep(picture(5), for: key("\(number)")) { true } }
        #expect(try few.usage().count <= 16)
        // Also of what a host before has left.
        let again = try ThumbnailStore(in: own, bytes: 10_000, count: 1_000, logger: fixture.logger)
        #expect(try again.usage().bytes <= 10_000)
    }

    @Test("PICK-17, AUTH-3: thumbnails go with their items, with their domain and at sign-out")
    func removed() throws {
        for id in ["a", "b", "c"] { try fixture.root.thumbnails.keep(picture(1), for: key(id)) { true } }
        try fixture.reopen()
        let gone = try key("b")
        try fixture.root.thumbnails.sweep { keys in
            #expect(keys.count == 3)
            return Set(keys).subtracting([gone])
        }
        #expect(try files().count == 2)
        #expect(try fixture.root.thumbnails.thumbnail([gone]) == nil)
        try fixture.tell(fixture.item("a", "a.txt"))
        try fixture.store.signOut(fixture.domain, discardingEdits: false, forgetting: fixture.root.secrets)
        #expect(access(folder.string, F_OK) != 0)
        #expect(try fixture.root.thumbnails.thumbnail([key("a")]) == nil)
        try fixture.root.thumbnails.keep(picture(1), for: key("a")) { true }
        try fixture.store.removeDomain(fixture.domain, discardingEdits: false)
        #expect(access(folder.string, F_OK) != 0)
        #expect(fixture.root.thumbnails.isEmpty)
    }

    @Test("PICK-17: whatever an item's identifier is, its thumbnail lies in the domain's folder")
    func names() throws {
        for id in ["../../../etc/passwd", "/", ".", "..", String(repeating: "%", count: 4096), "a/b", "ü\u{1}"] {
            try fixture.root.thumbnails.keep(picture(1), for: key(id)) { true }
            #expect(try fixture.root.thumbnails.thumbnail([key(id)]) != nil, "\(id)")
        }
        #expect(try files().count == 7)
        try fixture.reopen()
        #expect(try fixture.root.thumbnails.usage().count == 7)
    }
}
