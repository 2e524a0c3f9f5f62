internal import CDocentShims
internal import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Glibc
internal import Logging
internal import SystemPackage

/// Reaches the host: connects, starts it when there is none, and says hello.
struct HostConnector: Sendable {
    let address: HostAddress
    let start: HostStart
    let tool: String
    let loop: EventLoop
    let logger: Logger

    /// How long a host that was started may take until it answers. It reconciles its index with the tree first.
    private static let patience = Duration.seconds(60)
    private static let pause = Duration.milliseconds(5)
    /// How long a host may take to have room for another connection.
    private static let roomWithin = Duration.seconds(10)

    /// A host that was asked something and has said nothing for so long is asked whether it is there. That it is, it says at
    /// once, however long what it was asked takes.
    static let pingAfter = Duration.seconds(60)
    /// Busy machines have kept a host from a processor for a minute.
    static let pongWithin = Duration.seconds(60)

    /// An open connection, and the host's process.
    func connect() async throws(DocumentError) -> (Connection, Int32) {
        // A host that ends because it was idle may take the connection and close it: then the next one is started.
        var attempts = 0
        while true {
            let (socket, process) = try await connectedSocket()
            let connection = Connection(
                end: PipeEnd(socket: socket, loop: loop, takingPassed: true), loop: loop,
                configuration: configuration(process), logger: logger)
            do throws(DocumentError) {
                _ = try await connection.open()
                return (connection, process)
            } catch {
                connection.close(nil)
                // It has let us connect, so the next try would be the same.
                if error.code == .deadlineExceeded {
                    throw Self.silence(.deadlineExceeded, of: process, "did not say hello in time", address)
                }
                attempts += 1
                guard error.code == .hostUnavailable, attempts < 3, start != .never else {
                    throw error
                }
            }
        }
    }

    func configuration(_ process: Int32) -> Connection.Configuration {
        var configuration = Connection.Configuration(role: .initiator)
        configuration.software = "docent-client"
        configuration.context = ToolIdentity(name: tool).serialized()
        configuration.locale = getenv("LANG").map { String(cString: $0) } ?? ""
        configuration.peerName = "The host"
        configuration.deathCode = .hostUnavailable
        // Another connection may do: the host may only have been held up.
        configuration.suspicionCode = .hostUnavailable
        configuration.pingAfter = Self.pingAfter
        configuration.pongWithin = Self.pongWithin
        configuration.silenceError = Self.silence(
            .hostUnavailable, of: process,
            "has said nothing for \((Self.pingAfter + Self.pongWithin).components.seconds) s, not even that it is there",
            address)
        configuration.deathMessage =
            "The host ended while it was asked. Edits that were acknowledged are safe, and will be sent when it runs again: try again. Its log is \(address.log)."
        return configuration
    }

    /// For a host that was stopped, or hangs: waiting on is of no use, and people have to be told what to do about it.
    private static func silence(
        _ code: DocumentError.Code, of process: Int32, _ what: String, _ address: HostAddress
    ) -> DocumentError {
        DocumentError(
            code,
            "The host (process \(process)) \(what): where the machine is only too busy for it, try again. If it was stopped, “kill -CONT \(process)” lets it go on; if it hangs, “kill -KILL \(process)” ends it, and the next command starts another. Edits that were acknowledged are safe. Its log is \(address.log)."
        )
    }

    private func connectedSocket() async throws(DocumentError) -> (FileDescriptor, Int32) {
        if let connected = try await connectedSocketIfThere() { return connected }
        guard case .ifNeeded(let executable) = start else {
            throw DocumentError(
                .hostUnavailable,
                "No host runs for \(address.root): “docent host start” starts one."
            )
        }
        var starter = HostStarter(address: address)
        try starter.start(executable: executable)
        defer { starter.release() }
        let clock = ContinuousClock()
        let deadline = clock.now + Self.patience
        while true {
            if let connected = try await connectedSocketIfThere() { return connected }
            try starter.check()
            guard clock.now < deadline else { throw starter.failure("does not answer after \(Self.patience)") }
            try await rest("Starting the host was cancelled.")
        }
    }

    private func rest(_ cancelled: String) async throws(DocumentError) {
        do {
            try await Task.sleep(for: Self.pause)
        } catch {
            throw DocumentError(.cancelled, cancelled)
        }
    }

    /// Nil when nobody listens. A host that has no room for another connection is tried again and again for a while, and the
    /// loop is free for others meanwhile.
    func connectedSocketIfThere() async throws(DocumentError) -> (FileDescriptor, Int32)? {
        let deadline = ContinuousClock.now + Self.roomWithin
        var result = docent_unix_connect(address.socket)
        while result == -EAGAIN, ContinuousClock.now < deadline {
            try await rest("Reaching the host was cancelled.")
            result = docent_unix_connect(address.socket)
        }
        switch -result {
        case ENOENT, ECONNREFUSED: return nil
        case EAGAIN:
            throw DocumentError(
                .deadlineExceeded,
                "The host takes no connections any more: if it was stopped, “pkill -CONT docentd” lets it go on; else end docentd, and try again. Its log is \(address.log)."
            )
        case 1...:
            throw DocumentError(
                .hostUnavailable,
                "The host's socket \(address.socket) cannot be reached (\(Errno(rawValue: -result))): look at who owns it."
            )
        default: break
        }
        let socket = FileDescriptor(rawValue: result)
        var (process, user, group) = (pid_t(), uid_t(), gid_t())
        guard docent_peer_credentials(result, &process, &user, &group) == 0, user == geteuid() else {
            try? socket.close()
            throw DocumentError(
                .notPermitted,
                "The socket \(address.socket) is served by another user, so it is not trusted: remove it, or set XDG_RUNTIME_DIR to a folder of yours."
            )
        }
        return (socket, process)
    }
}
