import Glibc

/// Processes of this same program.
enum OwnProcess {
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments.first ?? "misbehaving-peer" }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// The environment variable that names the behaviour to the children, which carry it among their arguments: whoever
    /// looks for what an attack has left can tell whose they are.
    static let ownerKey = "MISBEHAVING_PEER_BEHAVIOUR"

    /// The environment variable that tells a child what it is.
    private static let childKey = "MISBEHAVING_PEER_CHILD"

    /// What this process is to do as a child; nil when it is none.
    static func takeChildsWords() -> [String]? {
        guard let words = getenv(childKey).map({ String(cString: $0) }) else { return nil }
        unsetenv(childKey)
        return words.split(separator: " ").map { String($0) }
    }

    private static var owner: String { getenv(ownerKey).map { String(cString: $0) } ?? "" }

    /// Starts `misbehaving-peer child KIND BEHAVIOUR`, which inherits standard input, output and error.
    ///
    /// - Parameter inOwnSession: so that it leaves the process group too. Where it may not, it is a child's child, whose
    ///   parent has ended: nobody's who could end it with its own.
    /// - Returns: the process, or, of a child's child, the one that has ended.
    @discardableResult
    static func spawnChild(_ kind: String, inOwnSession: Bool = false) throws -> pid_t {
        do {
            return try spawn([kind], inOwnSession: inOwnSession)
        } catch let refusal as Refusal where inOwnSession && refusal.error == EPERM {
            let between = try spawn(["starts-another", kind])
            waitpid(between, nil, 0)
            return between
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        var error: Int32
        var description: String { "no child can be started: errno \(error)" }
    }

    /// Waits until so many children run, for two seconds at most.
    static func awaitChildren(_ count: Int) {
        for _ in 0..<200 where (Marks.count("child") ?? count) < count { usleep(10_000) }
    }

    private static func spawn(_ words: [String], inOwnSession: Bool = false) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Glibc's module leaves out.
        if inOwnSession { posix_spawnattr_setflags(&attributes, 0x80) }
        var pid: pid_t = 0
        // In a sandbox a child that is a Swift program cannot look at its arguments; whoever looks for it can.
        setenv(childKey, words.joined(separator: " "), 1)
        defer { unsetenv(childKey) }
        let line = [path, "child"] + words + [owner]
        let result = Arguments.withCStrings(line) { posix_spawn(&pid, path, nil, &attributes, $0, environ) }
        guard result == 0 else { throw Refusal(error: result) }
        return pid
    }

    /// Starts threads that do nothing, until it gets no more.
    ///
    /// - Returns: how many there were.
    static func startThreads(upTo count: Int) -> Int {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 65_536)
        for number in 0..<count {
            var thread = pthread_t()
            let result = pthread_create(&thread, &attributes, { _ in while true { pause() } }, nil)
            guard result == 0 else { return number }
        }
        return count
    }

    /// Goes on as a child of that kind, with the same process id.
    static func become(_ kind: String) throws {
        _ = Arguments.withCStrings([path, "child", kind, owner]) { execv(path, $0) }
        throw File.Failure(description: "it cannot become another program: errno \(errno)")
    }

    /// What a child does. Nothing lasts longer than ten minutes, should nobody end it.
    static func runChild(_ words: [String]) -> Never {
        let kind = words.first ?? ""
        if ["stays", "ignores", "writes"].contains(kind) { Marks.leave("child-\(getpid())") }
        switch kind {
        case "stays":
            alarm(600)
            while true { pause() }
        case "ignores":
            alarm(600)
            for number in [SIGTERM, SIGHUP, SIGINT] { signal(number, SIG_IGN) }
            while true { pause() }
        case "writes":
            alarm(600)
            while write(STDOUT_FILENO, "stray output of a child\n", 24) > 0 { usleep(1000) }
            exit(0)
        case "ends":
            exit(0)
        case "leaves":
            _ = try? spawnChild("ignores", inOwnSession: true)
            exit(0)
        case "starts-another":
            _ = try? spawn([words.dropFirst().first ?? ""])
            exit(0)
        default:
            exit(64)
        }
    }

    /// Ends this process by a signal, in its default way.
    static func die(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        while true { pause() }
    }

    /// Does nothing any more, whatever comes.
    static func hang() -> Never {
        alarm(600)
        while true { pause() }
    }
}
