import Glibc
import Testing

/// From inside: what a provider tries, and what comes of it. Each attempt is also made without a sandbox, where it must
/// succeed, so that none is refused for another reason; and what is granted is shown to work.
@Suite("Out of the sandbox", .timeLimit(.minutes(15)))
struct SandboxEscapeTests {
    struct Attempt: Sendable, CustomTestStringConvertible {
        enum Control: Sendable {
            /// It succeeds for a process that is not confined.
            case succeeds
            /// Only for one of root's.
            case needsRoot
            /// Nowhere, or not on every kernel.
            case none
        }

        var words: [String]
        var errors: Set<String>
        var manifest = ""
        var control = Control.succeeds

        init(_ words: String..., meets errors: Set<String>, manifest: String = "", control: Control = .succeeds) {
            self.words = words
            self.errors = errors
            self.manifest = manifest
            self.control = control
        }

        var testDescription: String {
            words.joined(separator: " ") + (manifest.isEmpty ? "" : ", granted: \(manifest)")
        }
    }

    private static let given = """
        [[settings]]
        key = "folder"
        type = "path"
        [permissions]
        write = ["{folder}"]
        """
    private static let readable = """
        [[settings]]
        key = "folder"
        type = "path"
        [permissions]
        read = ["{folder}"]
        """
    private static let watching = readable + "\nwatch = true\n"
    private static let network = """
        [[settings]]
        key = "port"
        type = "integer"
        [permissions]
        connect = ["{port}"]
        """
    private static let children = "[limits]\nprocesses = 4\n"

    // MARK: Files

    private static let files: [Attempt] = [
        Attempt("read", "{home}/secret", meets: ["EACCES"]),
        Attempt("list", "{home}", meets: ["EACCES"]),
        Attempt("read", "{given}/file", meets: ["EACCES"]),
        Attempt("read", "{documents}/other/file", meets: ["EACCES"]),
        Attempt("read", "{documents}/mine/file", meets: ["EACCES"]),
        Attempt("list", "{documents}", meets: ["EACCES"]),
        Attempt("read", "{docent}/index.sqlite", meets: ["EACCES"]),
        Attempt("write", "{docent}/index.sqlite", meets: ["EACCES"]),
        // What domains sign in with.
        Attempt("read", "{docent}/secrets/file", meets: ["EACCES"]),
        Attempt("write", "{docent}/secrets/file", meets: ["EACCES"]),
        Attempt("remove", "{docent}/secrets/file", meets: ["EACCES"]),
        Attempt("list", "{docent}/secrets", meets: ["EACCES"]),
        Attempt("read-from-folder", "{docent}/secrets", "file", meets: ["EACCES"]),
        Attempt("read-by-link", "{docent}/secrets/file", "{state}/link", meets: ["EACCES"]),
        Attempt("link", "{docent}/secrets/file", "{state}/linked", meets: ["EXDEV", "EACCES"]),
        Attempt("rename", "{docent}/secrets/file", "{state}/taken", meets: ["EXDEV", "EACCES"]),
        Attempt("read", "{docent}/providers/other/file", meets: ["EACCES"]),
        Attempt("write", "{docent}/providers/other/file", meets: ["EACCES"]),
        Attempt("read", "{docent}/temporary/other/file", meets: ["EACCES"]),
        Attempt("read", "{docent}/staging/fetch/other/r/contents", meets: ["EACCES"]),
        Attempt("write", "{docent}/staging/fetch/other/r/contents", meets: ["EACCES"]),
        Attempt("read", "{docent}/staging/leaving-1", meets: ["EACCES"]),
        Attempt("list", "{docent}", meets: ["EACCES"]),
        // What the host keeps: of documents, of providers, of changes.
        Attempt("read", "{docent}/index.sqlite-wal", meets: ["EACCES"]),
        Attempt("write", "{docent}/index.sqlite-wal", meets: ["EACCES"]),
        Attempt("read", "{docent}/index.sqlite-shm", meets: ["EACCES"]),
        Attempt("read", "{docent}/versions/other/v", meets: ["EACCES"]),
        Attempt("read", "{docent}/versions/mine/v", meets: ["EACCES"]),
        Attempt("write", "{docent}/versions/mine/v", meets: ["EACCES"]),
        Attempt("list", "{docent}/versions", meets: ["EACCES"]),
        Attempt("list", "{docent}/providers", meets: ["EACCES"]),
        Attempt("list", "{docent}/providers/other", meets: ["EACCES"]),
        Attempt("read", "{docent}/providers/.failures/other/f", meets: ["EACCES"]),
        Attempt("read", "{docent}/providers/.failures/mine/f", meets: ["EACCES"]),
        Attempt("write", "{docent}/providers/.failures/mine/f", meets: ["EACCES"]),
        Attempt("list", "{docent}/providers/.failures", meets: ["EACCES"]),
        Attempt("read", "{docent}/providers/.recordings/other/r", meets: ["EACCES"]),
        Attempt("read", "{docent}/providers/.recordings/mine/r", meets: ["EACCES"]),
        Attempt("make", "{docent}/providers/.recordings/mine/on", meets: ["EACCES"]),
        Attempt("read-by-link", "{docent}/versions/other/v", "{state}/link", meets: ["EACCES"]),
        Attempt("link", "{docent}/index.sqlite-wal", "{state}/linked", meets: ["EXDEV", "EACCES"]),
        Attempt("rename", "{docent}/providers/.failures/mine/f", "{state}/taken", meets: ["EXDEV", "EACCES"]),
        Attempt("read", "/etc/passwd", meets: ["EACCES"]),
        Attempt("read", "/proc/self/environ", meets: ["EACCES"]),
        Attempt("list", "/tmp", meets: ["EACCES"]),
        // Its own folders, and the ways out of them.
        Attempt("read", "{state}/../other/file", meets: ["EACCES"]),
        Attempt("make", "{state}/../new", meets: ["EACCES"]),
        Attempt("make", "{home}/new", meets: ["EACCES"]),
        Attempt("make-folder", "{home}/new", meets: ["EACCES"]),
        Attempt("remove", "{home}/secret", meets: ["EACCES"]),
        Attempt("truncate", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-opening", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-third-mode", "{home}/secret", meets: ["EACCES"]),
        Attempt("empty-by-new-call", "{home}/secret", meets: ["ENOSYS"]),
        Attempt("fchmod-by-third-mode", "{home}/secret", meets: ["EACCES"], manifest: given),
        Attempt("fchmod-by-new-call", "{home}/secret", meets: ["ENOSYS"], manifest: given),
        Attempt("read-by-link", "{home}/secret", "{state}/link", meets: ["EACCES"]),
        Attempt("write-by-link", "{home}/secret", "{state}/link", meets: ["EACCES"]),
        Attempt("link", "{home}/secret", "{state}/linked", meets: ["EXDEV", "EACCES"]),
        Attempt("link", "{state}/file", "{home}/linked", meets: ["EXDEV", "EACCES"]),
        Attempt("rename", "{home}/secret", "{state}/taken", meets: ["EXDEV", "EACCES"]),
        Attempt("rename", "{state}/file", "{home}/left", meets: ["EXDEV", "EACCES"]),
        Attempt("exchange", "{state}/file", "{home}/secret", meets: ["EXDEV", "EACCES"]),
        Attempt("link-unnamed", "{state}", "{home}/new", meets: ["EXDEV", "EACCES"]),
        Attempt("read-from-folder", "{home}", "secret", meets: ["EACCES"]),
        Attempt("read-by-descriptor", "{home}/secret", meets: ["EACCES"]),
        Attempt("read-by-process-root", "self", "{home}/secret", meets: ["EACCES"]),
        Attempt("read-by-process-root", "{other}", "{home}/secret", meets: ["EACCES"]),
        Attempt("read-by-process-root", "{host}", "{home}/secret", meets: ["EACCES"]),
        Attempt("make-pipe", "{state}/pipe", meets: ["EACCES"]),
        Attempt("make-device", "{state}/device", meets: ["EACCES", "EPERM"], control: .needsRoot),
        // What the host is to take, and what it has given.
        Attempt("make", "{fetch}/more", meets: ["EACCES"]),
        Attempt("remove", "{fetch}/contents", meets: ["EACCES"]),
        Attempt("link", "{fetch}/contents", "{state}/kept", meets: ["EXDEV", "EACCES"]),
        Attempt("link", "{fetch}/contents", "{fetch}/kept", meets: ["EXDEV", "EACCES"]),
        Attempt("rename", "{fetch}/contents", "{state}/kept", meets: ["EXDEV", "EACCES"]),
        Attempt("write", "{send}/contents", meets: ["EACCES"]),
        Attempt("remove", "{send}/contents", meets: ["EACCES"]),
        Attempt("write", "{bundle}/file", meets: ["EACCES"]),
        // What Landlock does not know of.
        Attempt("chmod", "{home}/secret", meets: ["EPERM"]),
        Attempt("fchmodat2", "{home}/secret", meets: ["EPERM", "ENOSYS"], control: .none),
        Attempt("chown", "{home}/secret", meets: ["EPERM"]),
        Attempt("utime", "{home}/secret", meets: ["EPERM"]),
        Attempt("utimensat", "{home}/secret", meets: ["EPERM"]),
        Attempt("setxattr", "{home}/secret", meets: ["EOPNOTSUPP"]),
        Attempt("listxattr", "{home}/secret", meets: ["EOPNOTSUPP"]),
        Attempt("watch", "{home}", meets: ["EPERM"]),
        Attempt("watch", "{home}", meets: ["EPERM"], manifest: readable),
        Attempt("watch", "{home}", meets: ["EPERM"], manifest: given),
        Attempt("execute", "/bin/true", meets: ["EACCES"], control: .none),
        Attempt("execute-memory", "/usr/bin/true", meets: ["ENOSYS"], control: .none),
        // Granted to be read, and nothing more.
        Attempt("write", "{given}/file", meets: ["EACCES"], manifest: readable),
        Attempt("make", "{given}/new", meets: ["EACCES"], manifest: readable),
        Attempt("fchmod", "{given}/file", meets: ["EPERM"], manifest: readable),
        Attempt("execute", "{given}/file", meets: ["EACCES"], manifest: readable, control: .none),
        // A given folder is no way to the others.
        Attempt("read", "{given}/../home/secret", meets: ["EACCES"], manifest: given),
        Attempt("write-by-link", "{home}/secret", "{given}/link", meets: ["EACCES"], manifest: given),
        Attempt("rename", "{home}/secret", "{given}/taken", meets: ["EXDEV", "EACCES"], manifest: given),
        Attempt("link", "{fetch}/contents", "{given}/kept", meets: ["EXDEV", "EACCES"], manifest: given),
        Attempt("chmod", "{given}/file", meets: ["EPERM"], manifest: given),
    ]

    @Test("DESIGN 9: what is not granted of the file system cannot be reached", arguments: files)
    func filesAreRefused(attempt: Attempt) throws { try refuses(attempt) }

    // MARK: Sockets

    private static let sockets: [Attempt] = [
        Attempt("connect-tcp", "{port}", meets: ["EACCES"]),
        Attempt("tcp6", meets: ["EACCES"], control: .none),
        Attempt("connect-tcp", "{other-port}", meets: ["EACCES"], manifest: network),
        Attempt("connect-mptcp", "{other-port}", meets: ["EACCES"], manifest: network, control: .none),
        Attempt("connect-while-sending", "{other-port}", meets: ["EOPNOTSUPP"], manifest: network),
        Attempt("connect-by-message", "{other-port}", meets: ["EOPNOTSUPP"], manifest: network),
        Attempt("connect-udp", "{port}", meets: ["EACCES"]),
        Attempt("connect-udp", "{port}", meets: ["EACCES"], manifest: network),
        Attempt("serve", "0", meets: ["EACCES"], manifest: network),
        Attempt("listen-unbound", meets: ["EACCES"], manifest: network),
        Attempt("raw", meets: ["EACCES"], manifest: network, control: .needsRoot),
        Attempt("packet", meets: ["EACCES"], manifest: network, control: .needsRoot),
        Attempt("netlink", meets: ["EACCES"], manifest: network),
        Attempt("vsock", meets: ["EACCES"], manifest: network, control: .none),
        Attempt("crypto", meets: ["EACCES"], manifest: network, control: .none),
        // The session bus, and with it whatever keeps the user's secrets there.
        Attempt("connect-unix", "{bus}", meets: ["EACCES"]),
        Attempt("connect-unix", "{bus}", meets: ["EACCES"], manifest: network),
        Attempt("connect-unix", "{socket}", meets: ["EACCES"]),
        Attempt("connect-unix", "{socket}", meets: ["EACCES"], manifest: network),
        Attempt("connect-unix", "{abstract}", meets: ["EACCES"], manifest: network),
        Attempt("send-from-pair", "{socket}", meets: ["EACCES"], manifest: network, control: .none),
    ]

    @Test("DESIGN 9: sockets lead to the granted ports and nowhere else", arguments: sockets)
    func socketsAreRefused(attempt: Attempt) throws { try refuses(attempt) }

    // MARK: Processes and the kernel

    /// It is ended before it can say anything. Another user's shepherd cannot open our standard error anew.
    private static let tooMany: Set<String> = [
        "nothing",
        "docent-trampoline: the provider has as many threads and processes as it may have (516); it is ended",
    ]

    private static let processes: [Attempt] = [
        Attempt("signal", "{host}", meets: ["EPERM"]),
        Attempt("signal", "{other}", meets: ["EPERM"]),
        Attempt("signal", "{host}", meets: ["EPERM"], manifest: children),
        Attempt("signal-queue", "{host}", meets: ["EPERM"], manifest: children),
        Attempt("signal-thread", "{host}", meets: ["EPERM"], manifest: children),
        Attempt("signal-by-descriptor", "{host}", meets: ["EPERM"], manifest: children),
        Attempt("signal-by-file", "{host}", meets: ["EPERM"]),
        Attempt("trace", "{other}", meets: ["EPERM"]),
        Attempt("read-memory", "{other}", "0", meets: ["EPERM"], control: .none),
        Attempt("open-memory", "{host}", meets: ["EACCES"]),
        Attempt("take-descriptor", "{other}", meets: ["EPERM"]),
        // An opening like libdispatch's is looked into by the shepherd.
        Attempt("look-at-process", "{host}", "stat", meets: ["EACCES"]),
        Attempt("look-at-process", "{other}", "stat", meets: ["EACCES"]),
        Attempt("look-at-process", "1", "stat", meets: ["EACCES"]),
        Attempt("look-at-own-thread", "status", meets: ["EACCES"]),
        Attempt("look-at-own-thread", "task/../stat", meets: ["EACCES"], control: .none),
        Attempt("look-at-child", meets: ["EACCES"], manifest: children),
        Attempt("open-no-path", meets: ["EFAULT"], control: .none),
        Attempt("limit-other", "{host}", meets: ["EPERM"]),
        Attempt("slow-other", "{host}", meets: ["EPERM"]),
        Attempt("pin-other", "{host}", meets: ["EPERM"]),
        Attempt("unshare", meets: ["EPERM"], manifest: children, control: .none),
        Attempt("clone-namespace", meets: ["EPERM"], manifest: children, control: .none),
        Attempt("mount", "{state}", meets: ["EPERM"], control: .needsRoot),
        Attempt("open-mounts", meets: ["EPERM"], control: .needsRoot),
        Attempt("chroot", "{state}", meets: ["EPERM"], control: .needsRoot),
        Attempt("keyring", meets: ["EPERM"]),
        Attempt("bpf", meets: ["EPERM"], control: .needsRoot),
        Attempt("userfaultfd", meets: ["EPERM"], control: .none),
        Attempt("io-uring", meets: ["ENOSYS"], control: .none),
        Attempt("shared-segment", meets: ["EPERM"]),
        Attempt("message-queue", meets: ["EPERM"], control: .none),
        Attempt("survive-parent", meets: ["EPERM"]),
        Attempt("adopt", meets: ["EPERM"]),
        Attempt("adopt", meets: ["EPERM"], manifest: children),
        Attempt("change-personality", meets: ["EPERM"]),
        Attempt("hold-process", "{host}", meets: ["EPERM"]),
        Attempt("hold-parent", meets: ["EPERM"]),
        Attempt("hold-parent", meets: ["EPERM"], manifest: children),
        Attempt("fork", meets: ["EPERM"]),
        Attempt("leave-session", meets: ["EPERM"], manifest: children),
        Attempt("type-for-user", meets: ["ENOTTY"], control: .none),
        Attempt("old-call", meets: ["ENOSYS"], control: .none),
        Attempt("x32-call", meets: ["ENOSYS"], control: .none),
        Attempt("unknown-call", meets: ["ENOSYS"], control: .none),
        Attempt("capabilities", meets: ["EPERM"], control: .needsRoot),
        Attempt("gain-privileges", meets: ["EPERM"], control: .none),
        // Limits.
        Attempt("memory", "2147483648", meets: ["ENOMEM"]),
        Attempt("memory-downwards", "1048576", meets: ["EPERM"]),
        Attempt("raise-stack", "1073741824", meets: ["EINVAL", "EPERM"], control: .none),
        Attempt("shared-memory", "1048576", meets: ["EPERM"]),
        Attempt("memory-file", "1048576", meets: ["ENOSYS"]),
        Attempt("raise-limit", meets: ["EPERM"]),
        Attempt("open-many", "1100", meets: ["EMFILE"], control: .none),
        Attempt("open-many", "100", meets: ["EMFILE"], manifest: "[limits]\nopen-files = 64\n"),
        Attempt("memory", "134217728", meets: ["ENOMEM"], manifest: "[limits]\nmemory = 64\n"),
        // Whatever else the user runs, root too.
        Attempt("threads", "600", meets: ["EAGAIN"]),
        Attempt("threads", "600", meets: ["EAGAIN"], manifest: children),
        Attempt("forks", "600", meets: tooMany, manifest: children),
    ]

    @Test(
        "DESIGN 9: other processes, the kernel's doors and more than its share are out of reach", arguments: processes)
    func processesAreRefused(attempt: Attempt) throws { try refuses(attempt) }

    private func refuses(_ attempt: Attempt) throws {
        let confined = try SandboxFixture().attempt(attempt.words, manifest: attempt.manifest)
        #expect(attempt.errors.contains(confined), "\(confined)")
        let isExpected =
            switch attempt.control {
            case .succeeds: true
            case .needsRoot: getuid() == 0
            case .none: false
            }
        guard isExpected else { return }
        let free = try SandboxFixture().attempt(attempt.words, manifest: nil)
        #expect(free == "allowed", "without a sandbox the attempt must succeed, or it shows nothing")
    }

    // MARK: What is granted

    @Test(
        "DESIGN 9: what is granted works",
        arguments: [
            Attempt("read", "{state}/file", meets: []), Attempt("write", "{state}/file", meets: []),
            Attempt("make", "{state}/new", meets: []), Attempt("make-folder", "{state}/new", meets: []),
            Attempt("remove", "{state}/file", meets: []), Attempt("rename", "{state}/file", "{state}/new", meets: []),
            Attempt("make", "{temporary}/new", meets: []),
            Attempt("rename", "{temporary}/file", "{state}/n", meets: []),
            Attempt("read", "{fetch}/contents", meets: []), Attempt("write", "{fetch}/contents", meets: []),
            Attempt("truncate", "{fetch}/contents", meets: []), Attempt("read", "{send}/contents", meets: []),
            Attempt("read", "{bundle}/provider.toml", meets: []), Attempt("write", "/dev/null", meets: []),
            Attempt("read", "/dev/urandom", meets: []), Attempt("list", "/usr/lib", meets: []),
            Attempt("read", "{given}/sub/file", meets: [], manifest: readable),
            Attempt("list", "{given}", meets: [], manifest: readable),
            Attempt("watch", "{given}", meets: [], manifest: watching),
            Attempt("make", "{given}/new", meets: [], manifest: given),
            Attempt("rename", "{given}/sub/file", "{given}/moved", meets: [], manifest: given),
            Attempt("exchange", "{given}/sub/file", "{given}/file", meets: [], manifest: given),
            Attempt("remove", "{given}/file", meets: [], manifest: given),
            Attempt("fchmod", "{given}/file", meets: [], manifest: given),
            Attempt("connect-tcp", "{port}", meets: [], manifest: network),
            Attempt("stream-pair", meets: []), Attempt("thread", meets: []), Attempt("signal-itself", meets: []),
            Attempt("threads", "400", meets: []), Attempt("threads", "400", meets: [], manifest: children),
            Attempt("threads-in-turn", "1200", meets: []), Attempt("forks", "400", meets: [], manifest: children),
            Attempt("forks-in-turn", "1200", meets: [], manifest: children),
            Attempt("ask-personality", meets: []), Attempt("hold-itself", meets: []),
            Attempt("hold-child", meets: [], manifest: children),
            Attempt("look-at-own-thread", "stat", meets: []),
            Attempt("look-at-own-thread-in-child", "stat", meets: [], manifest: children),
            Attempt("fork", meets: [], manifest: children), Attempt("signal-itself", meets: [], manifest: children),
            Attempt("memory", "134217728", meets: []), Attempt("open-many", "500", meets: []),
            Attempt("open-many", "2000", meets: [], manifest: "[limits]\nopen-files = 4096\n"),
            Attempt("memory", "2147483648", meets: [], manifest: "[limits]\nmemory = 4096\n"),
        ])
    func grantsWork(attempt: Attempt) throws {
        let outcome = try SandboxFixture().attempt(attempt.words, manifest: attempt.manifest)
        #expect(attempt.errors.isEmpty ? outcome == "allowed" : attempt.errors.contains(outcome), "\(outcome)")
    }

    // MARK: As an ordinary user

    @Test(
        "DESIGN 9: root hides nothing: the same as an ordinary user",
        .enabled(if: getuid() == 0, "only root can become another user"),
        arguments: [
            Attempt("read", "{home}/secret", meets: ["EACCES"]), Attempt("unshare", meets: ["EPERM"]),
            Attempt("fork", meets: ["EPERM"]), Attempt("connect-tcp", "{port}", meets: ["EACCES"]),
            Attempt("connect-unix", "{abstract}", meets: ["EACCES"]), Attempt("keyring", meets: ["EPERM"]),
            Attempt("signal-itself", meets: []), Attempt("read", "{bundle}/provider.toml", meets: []),
            Attempt("look-at-own-thread", "stat", meets: []),
            Attempt("look-at-process", "{other}", "stat", meets: ["EACCES"]),
            Attempt("connect-tcp", "{port}", meets: [], manifest: network),
            Attempt("threads", "600", meets: ["EAGAIN"]), Attempt("threads", "400", meets: []),
            Attempt("forks", "600", meets: tooMany, manifest: children),
        ])
    func asAnOrdinaryUser(attempt: Attempt) throws {
        let outcome = try SandboxFixture().attempt(attempt.words, manifest: attempt.manifest, user: 65534)
        #expect(attempt.errors.isEmpty ? outcome == "allowed" : attempt.errors.contains(outcome), "\(outcome)")
    }
}
