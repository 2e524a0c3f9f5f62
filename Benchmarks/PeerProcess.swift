import DocumentModel
import DocumentProvider
import DocumentTransport
import Glibc
import Logging
import SystemPackage

/// The other side of a measurement: this program once more, with two pipes as its standard input and output.
struct PeerProcess {
    let reading: FileDescriptor
    let writing: FileDescriptor
    let pid: pid_t

    /// What the two sides talk over.
    enum Line {
        case pipes, socket
    }

    static func start(_ role: String, over line: Line = .pipes) throws -> PeerProcess {
        let (reading, writing, peerReading, peerWriting) = try make(line)
        for descriptor in [reading, writing] { _ = fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, peerReading.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, peerWriting.rawValue, 1)
        posix_spawn_file_actions_addclose(&actions, peerReading.rawValue)
        posix_spawn_file_actions_addclose(&actions, peerWriting.rawValue)
        var arguments = ["benchmarks", "--peer", role].map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, environ)
        try peerReading.close()
        try peerWriting.close()
        guard error == 0 else { throw Errno(rawValue: error) }
        return PeerProcess(reading: reading, writing: writing, pid: pid)
    }

    /// Our two ends, and the peer's.
    private static func make(
        _ line: Line
    ) throws -> (FileDescriptor, FileDescriptor, FileDescriptor, FileDescriptor) {
        switch line {
        case .pipes:
            let (toPeer, fromPeer) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
            return (fromPeer.readEnd, toPeer.writeEnd, toPeer.readEnd, fromPeer.writeEnd)
        case .socket:
            var ends: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Errno(rawValue: errno) }
            let (ours, theirs) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
            return (ours, try ours.duplicate(), theirs, try theirs.duplicate())
        }
    }

    /// Ends the peer's input.
    func hangUp() {
        try? writing.close()
        try? reading.close()
    }

    /// Waits for the end of the process, which comes when its input has ended.
    func wait() {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }

    // MARK: In the peer

    static func serve(_ role: String) async throws {
        let words = role.split(separator: " ", maxSplits: 4).map(String.init)
        switch words.first {
        case "delay": try DelayingProxy.serve(Array(words.dropFirst()))
        case "ping-pong": PingPong.serve()
        case "echo": try await serveEcho()
        case "provider":
            // As the host sets it: started by hand a provider explains itself only.
            setenv("DOCENT_PROVIDER_COOKIE", "1", 0)
            await LargeProvider.main()
        default: exit(2)
        }
    }

    private static func serveEcho() async throws {
        let loop = EventLoop(name: "echo")
        let end = PipeEnd(reading: .standardInput, writing: .standardOutput, loop: loop)
        let connection = Connection(
            end: end, loop: loop, configuration: Connection.Configuration(role: .responder, preface: .sends),
            logger: .quiet)
        _ = try await connection.open { _ in [] }
        _ = await connection.run(Echo())
    }

    private struct Echo: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] { body }
    }
}

extension Logger {
    static var quiet: Logger { Logger(label: "benchmarks") { _ in SwiftLogNoOpLogHandler() } }
}
