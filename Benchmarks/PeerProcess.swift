import DocumentModel
import DocumentTransport
import Glibc
import Logging
import SystemPackage

/// The other side of a measurement: this program once more, with two pipes as its standard input and output.
struct PeerProcess {
    let reading: FileDescriptor
    let writing: FileDescriptor
    private let pid: pid_t

    static func start(_ role: String) throws -> PeerProcess {
        let (toPeer, fromPeer) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        for descriptor in [toPeer.writeEnd, fromPeer.readEnd] {
            _ = fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toPeer.readEnd.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, fromPeer.writeEnd.rawValue, 1)
        posix_spawn_file_actions_addclose(&actions, toPeer.readEnd.rawValue)
        posix_spawn_file_actions_addclose(&actions, fromPeer.writeEnd.rawValue)
        var arguments = ["benchmarks", "--peer", role].map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, "/proc/self/exe", &actions, nil, &arguments, environ)
        try toPeer.readEnd.close()
        try fromPeer.writeEnd.close()
        guard error == 0 else { throw Errno(rawValue: error) }
        return PeerProcess(reading: fromPeer.readEnd, writing: toPeer.writeEnd, pid: pid)
    }

    /// Waits for the end of the process, which comes when its input has ended.
    func wait() {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
    }

    // MARK: In the peer

    static func serve(_ role: String) async throws {
        switch role {
        case "ping-pong": PingPong.serve()
        case "echo": try await serveEcho()
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
