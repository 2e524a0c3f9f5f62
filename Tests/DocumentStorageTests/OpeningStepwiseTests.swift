import CDocentShims
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

/// What opens files where there is no openat2 finds what that finds, and refuses what that refuses.
@Suite("Opening beneath a folder without openat2")
struct OpeningStepwiseTests {
    private static let beneath =
        UInt64(DOCENT_RESOLVE_BENEATH) | UInt64(DOCENT_RESOLVE_NO_SYMLINKS) | UInt64(DOCENT_RESOLVE_NO_MAGICLINKS)
        | UInt64(DOCENT_RESOLVE_NO_XDEV)

    private static let place = Int32(DOCENT_PLACE_ONLY)

    /// A folder with a file, folders, and links that lead in and out.
    private static func withFolder(_ body: (Int32, String) throws -> Void) throws {
        let place = try TemporaryFolder.make()
        let path = place.string
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer {
            close(folder)
            TemporaryFolder.remove(place)
        }
        for name in ["a", "a/b", "a/b/c"] { mkdir("\(path)/\(name)", 0o700) }
        close(open("\(path)/a/b/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        symlink("b", "\(path)/a/in")
        symlink("/etc", "\(path)/a/out")
        symlink("file", "\(path)/a/b/alias")
        symlink("nothing", "\(path)/a/dangling")
        try body(folder, path)
    }

    private static let paths = [
        "a", "a/b", "a/b/", "a//b", "./a/./b", ".", "a/b/file", "a/b/file/", "a/b/file/x", "a/b/alias", "a/in",
        "a/in/file", "a/in/", "a/out", "a/out/passwd", "a/dangling", "missing", "missing/file", "a/missing", "/etc", "",
        "..", "../x", String(repeating: "n", count: 256), "a/" + String(repeating: "n", count: 255),
    ]

    @Test(
        "The same paths lead to the same files, and to the same errors",
        arguments: [
            O_RDONLY, O_RDONLY | O_DIRECTORY, place, place | O_DIRECTORY, place | O_NOFOLLOW, O_WRONLY,
            O_RDONLY | O_NONBLOCK, O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
        ])
    func same(flags: Int32) throws {
        for path in Self.paths {
            var outcomes: [String] = []
            for opens in [docent_openat2, docent_open_stepwise] {
                try Self.withFolder { folder, place in
                    let file = opens(folder, path, UInt64(flags), 0o640, Self.beneath)
                    outcomes.append(file < 0 ? String(cString: strerror(-file)) : Self.words(file, in: place))
                    if file >= 0 { close(file) }
                }
            }
            #expect(outcomes[0] == outcomes[1], "\(path)")
        }
    }

    @Test("What leads out is refused, whatever it leads to")
    func refused() throws {
        try Self.withFolder { folder, _ in
            func error(_ path: String) -> Int32 {
                -docent_open_stepwise(folder, path, UInt64(O_RDONLY), 0, Self.beneath)
            }
            #expect(error("a/out/passwd") == ELOOP)
            #expect(error("a/b/alias") == ELOOP)
            #expect(error("a/../../etc") == EXDEV)
            #expect(error("/etc/passwd") == EXDEV)
        }
        // Another mount.
        let top = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(top) }
        #expect(docent_open_stepwise(top, "proc/self", UInt64(DOCENT_PLACE_ONLY), 0, Self.beneath) == -EXDEV)
        #expect(docent_open_stepwise(top, "proc", UInt64(O_RDONLY), 0, Self.beneath) == -EXDEV)
    }

    @Test("Without conditions it is an opening like any other")
    func plain() throws {
        try Self.withFolder { folder, _ in
            let file = docent_open_stepwise(folder, "a/in/alias", UInt64(O_RDONLY), 0, 0)
            #expect(file >= 0)
            #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
            close(file)
        }
        #expect(docent_open_stepwise(-1, "x", UInt64(O_RDONLY), 0, UInt64(DOCENT_RESOLVE_BENEATH)) == -ENOSYS)
    }

    /// Which file it is, how it is open, and its mode.
    private static func words(_ file: Int32, in place: String) -> String {
        var status = stat()
        fstat(file, &status)
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/fd/\(file)", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let flags = fcntl(file, F_GETFL) & (O_ACCMODE | Self.place)
        return "\(path.dropFirst(place.utf8.count)) \(String(status.st_mode, radix: 8)) \(flags)"
    }
}
