import Testing

/// The same provider where the kernel is older than its sandbox. What of it such a kernel cannot enforce, and nothing else
/// does, is not started without the user's word (``Confinement``); the rest has to hold there too.
@Suite("The sandbox on older kernels", .timeLimit(.minutes(5)))
struct OldLandlockTests {
    typealias Attempt = SandboxEscapeTests.Attempt

    private static let given = """
        [[settings]]
        key = "folder"
        type = "path"
        [permissions]
        write = ["{folder}"]
        """

    /// Before the third one Landlock did not know of emptying files.
    private static let refused: [Attempt] = [
        Attempt("truncate", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-opening", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-third-mode", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-new-call", "{home}/secret", meets: ["ENOSYS"]),
        Attempt("empty-while-writing", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-anew", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-opening", "{docent}/index.sqlite", meets: ["EACCES"]),
        Attempt("truncate", "{docent}/versions/mine/v", meets: ["EACCES"]),
        Attempt("truncate", "{home}/secret", meets: ["EACCES"], manifest: given),
        Attempt("empty-by-opening", "{home}/secret", meets: ["EACCES"], manifest: given),
        Attempt("read", "{home}/secret", meets: ["EACCES"]),
        Attempt("write", "{home}/secret", meets: ["EACCES"]),
        Attempt("fchmod-by-third-mode", "{home}/secret", meets: ["EACCES"], manifest: given),
        Attempt("connect-tcp", "{port}", meets: ["EACCES"]),
        Attempt("connect-unix", "{abstract}", meets: ["EACCES"]),
        Attempt("signal", "{host}", meets: ["EPERM"]),
        Attempt("signal-thread", "{host}", meets: ["EPERM"]),
        Attempt("signal-by-descriptor", "{host}", meets: ["EPERM"]),
    ]

    @Test("DESIGN 9: what is not granted is out of reach on every kernel that has Landlock", arguments: [1, 2, 3, 5])
    func refuses(version: Int) throws {
        for attempt in Self.refused {
            let outcome = try SandboxFixture().attempt(
                attempt.words, manifest: attempt.manifest, landlock: version)
            #expect(attempt.errors.contains(outcome), "\(attempt): \(outcome)")
        }
    }

    @Test("DESIGN 9: what is granted works on every kernel that has Landlock", arguments: [1, 2, 3, 5])
    func grants(version: Int) throws {
        for attempt in [
            Attempt("write", "{state}/file", meets: []), Attempt("make", "{state}/new", meets: []),
            Attempt("empty-while-writing", "{state}/file", meets: []), Attempt("empty-anew", "{state}/file", meets: []),
            Attempt("empty-while-writing", "{fetch}/contents", meets: []),
            Attempt("remove", "{state}/file", meets: []), Attempt("rename", "{state}/file", "{state}/new", meets: []),
            Attempt("empty-while-writing", "{given}/file", meets: [], manifest: Self.given),
            Attempt("read", "{send}/contents", meets: []), Attempt("list", "/usr/lib", meets: []),
        ] {
            let outcome = try SandboxFixture().attempt(
                attempt.words, manifest: attempt.manifest, landlock: version)
            #expect(outcome == "allowed", "\(attempt): \(outcome)")
        }
    }

    @Test("The first version refuses what its kernels refuse: the fixture is one of them")
    func isOlder() throws {
        // It is the rename between folders that the first version never allows, whoever grants it.
        let words = ["rename", "{state}/file", "{temporary}/new"]
        #expect(try SandboxFixture().attempt(words, manifest: "", landlock: 1) == "EXDEV")
        #expect(try SandboxFixture().attempt(words, manifest: "", landlock: 2) == "allowed")
    }
}
