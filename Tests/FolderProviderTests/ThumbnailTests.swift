import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import FolderProvider

@Suite("Thumbnails of a folder")
struct ThumbnailTests {
    private let fixture: FolderFixture

    init() throws { fixture = try FolderFixture() }

    private func hex(_ text: String) -> String {
        MD5.digest(of: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "The digest that thumbnails are named by is MD5",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ), ("./picture.png", "7fd0e41c1612f860427a76c4100745a3"),
        ])
    func digest(text: String, digest: String) {
        #expect(hex(text) == digest)
    }

    private func modified(_ name: String) throws -> Int {
        var status = stat()
        try fixture.call(stat(fixture.path(name), &status))
        return status.st_mtim.tv_sec
    }

    /// As a program of the desktop would.
    private func share(
        _ name: String, _ picture: [UInt8], in flavour: String, under uri: String? = nil, of folder: String = ""
    ) throws {
        let repository = folder + ".sh_thumbnails"
        for path in [repository, repository + "/" + flavour] { mkdir(fixture.path(path), 0o755) }
        try fixture.write(picture, toPath: fixture.path("\(repository)/\(flavour)/\(hex(uri ?? "./" + name)).png"))
    }

    private func words(_ uri: String, _ time: Int, size: Int? = nil) -> [String: String] {
        var words = ["Thumb::URI": uri, "Thumb::MTime": "\(time)", "Software": "Tests"]
        words["Thumb::Size"] = size.map { "\($0)" }
        return words
    }

    private func thumbnail(_ name: String, _ size: Int = 128) async throws -> Thumbnail? {
        let provider = try await fixture.provider()
        let item = try await provider.item(at: name)
        return try await provider.thumbnail(
            for: item.id, contentVersion: item.version.content, size: size, transfer: Transfer())
    }

    @Test("PICK-17: a thumbnail that a program has left beside a document is given, when it is of just these contents")
    func shared() async throws {
        try fixture.write("a film", to: "my film.mkv")
        #expect(try await thumbnail("my film.mkv") == nil)
        let time = try modified("my film.mkv")
        let uri = "./my%20film.mkv"
        let good = TestPicture.png(128, 72, words: words(uri, time, size: 6))
        try share("my film.mkv", good, in: "normal", under: uri)
        #expect(try await thumbnail("my film.mkv")?.bytes == good)
        for wrong in [
            words(uri, time - 1), words("./another.mkv", time), words(uri, time, size: 7), [:],
            ["Thumb::URI": uri], ["Thumb::MTime": "\(time)"],
        ] {
            try share("my film.mkv", TestPicture.png(128, 72, words: wrong), in: "normal", under: uri)
            #expect(try await thumbnail("my film.mkv") == nil, "\(wrong)")
        }
        // Nor is what is no picture, or too large.
        for wrong in [Array("text".utf8), TestPicture.jpeg(10, 10), TestPicture.png(300, 20, words: words(uri, time))] {
            try share("my film.mkv", wrong, in: "normal", under: uri)
            #expect(try await thumbnail("my film.mkv") == nil)
        }
    }

    @Test(
        "PICK-17: of several thumbnails the one that suits the size best is given; names are without folder, with “./” or not"
    )
    func flavours() async throws {
        try fixture.write("a film", to: "film")
        let time = try modified("film")
        let pictures = [("normal", 128), ("large", 256), ("x-large", 512), ("xx-large", 1024)].map { flavour, side in
            (flavour, side, TestPicture.png(side, side, words: words("film", time)))
        }
        for (flavour, _, picture) in pictures { try share("film", picture, in: flavour, under: "film") }
        for (wanted, given) in [(16, 0), (64, 128), (100, 128), (128, 128), (200, 256), (256, 256), (1024, 1024)] {
            #expect(try await thumbnail("film", wanted)?.header.width ?? 0 == given, "\(wanted)")
        }
        unlink(fixture.path(".sh_thumbnails/large/\(hex("film")).png"))
        #expect(try await thumbnail("film", 256)?.header.width == 512, "larger, and not twice as large")
        unlink(fixture.path(".sh_thumbnails/x-large/\(hex("film")).png"))
        #expect(try await thumbnail("film", 256)?.header.width == 128)
    }

    @Test("PICK-17: a thumbnail that is older than the contents is of others, also when the second is the same")
    func older() async throws {
        try fixture.write("a film", to: "film")
        let time = try modified("film")
        try share("film", TestPicture.png(9, 9, words: words("./film", time)), in: "normal")
        let place = fixture.path(".sh_thumbnails/normal/\(hex("./film")).png")
        #expect(try await thumbnail("film") != nil)
        let early = timespec(tv_sec: time - 1, tv_nsec: 0)
        try fixture.call(utimensat(AT_FDCWD, place, [early, early], 0))
        #expect(try await thumbnail("film") == nil)
    }

    @Test(
        "PICK-17: a small picture is its own thumbnail, whatever it is called; a large one, or one of many pixels, is none"
    )
    func small() async throws {
        for (name, bytes) in [("a.png", TestPicture.png(20, 30)), ("photo", TestPicture.jpeg(64, 48))] {
            try fixture.write(bytes, toPath: fixture.path(name))
            #expect(try await thumbnail(name)?.bytes == bytes)
        }
        try fixture.write(TestPicture.png(257, 1), toPath: fixture.path("wide"))
        #expect(try await thumbnail("wide") == nil)
        #expect(try await thumbnail("wide", 256) != nil)
        let most = TestPicture.png(5, 5) + [UInt8](repeating: 0, count: 65_536 - TestPicture.png(5, 5).count)
        try fixture.write(most, toPath: fixture.path("most"))
        try fixture.write(most + [0], toPath: fixture.path("more"))
        #expect(try await thumbnail("most") != nil)
        #expect(try await thumbnail("more") == nil)
        try fixture.write("text", to: "text.png")
        #expect(try await thumbnail("text.png") == nil)
    }

    @Test("PICK-17: there is no thumbnail of a version that is gone, of a folder, or of what is not there")
    func gone() async throws {
        try fixture.write(TestPicture.png(20, 30), toPath: fixture.path("a.png"))
        let provider = try await fixture.provider()
        let item = try await provider.item(at: "a.png")
        func ask(_ id: ItemIdentifier, _ version: [UInt8]) async throws -> Thumbnail? {
            try await provider.thumbnail(for: id, contentVersion: version, size: 128, transfer: Transfer())
        }
        #expect(try await ask(item.id, item.version.content) != nil)
        try fixture.write(TestPicture.png(31, 20), toPath: fixture.path("a.png"))
        await expect(.versionNoLongerAvailable) { _ = try await ask(item.id, item.version.content) }
        await expect(.invalidArgument) { _ = try await ask(.root, [1]) }
        await expect(.noSuchItem) { _ = try await ask(try ItemIdentifier("0000000000001"), [1]) }
        // In one call each is answered on its own.
        let now = try await provider.item(for: item.id)
        let outcomes = try await provider.thumbnails(
            for: [
                ThumbnailRequest(id: try ItemIdentifier("0000000000001"), contentVersion: [1]),
                ThumbnailRequest(id: item.id, contentVersion: now.version.content),
            ], size: 128, transfer: Transfer())
        #expect(outcomes.count == 2)
        guard case .failed(let error) = outcomes[0], case .image = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(error.code == .noSuchItem)
    }

    @Test("PICK-17: nothing outside of the folder is given for a thumbnail")
    func links() async throws {
        try fixture.write("a film", to: "film")
        let outside = fixture.base.appending("outside.png").string
        try fixture.write(
            TestPicture.png(9, 9, words: words("./film", try modified("film"))), toPath: outside)
        for path in [".sh_thumbnails", ".sh_thumbnails/normal"] { mkdir(fixture.path(path), 0o755) }
        let place = fixture.path(".sh_thumbnails/normal/\(hex("./film")).png")
        try fixture.call(symlink(outside, place))
        #expect(try await thumbnail("film") == nil)
        unlink(place)
        try fixture.call(mkfifo(place, 0o600))
        #expect(try await thumbnail("film") == nil)
        unlink(place)
        rmdir(fixture.path(".sh_thumbnails/normal"))
        let folder = fixture.base.appending("pictures")
        try fixture.call(mkdir(folder.string, 0o755))
        try fixture.call(rename(outside, folder.string + "/\(hex("./film")).png"))
        try fixture.call(symlink(folder.string, fixture.path(".sh_thumbnails/normal")))
        #expect(try await thumbnail("film") == nil)
    }
}
