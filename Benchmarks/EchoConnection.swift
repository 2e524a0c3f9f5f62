import DocumentTransport

/// A connection to a process that answers with what it was asked.
struct EchoConnection: Sendable {
    private let connection: Connection
    private let loop: EventLoop
    /// So that the whole frame has about 64 bytes.
    private let body = [UInt8](repeating: 7, count: 52)

    static func with<Result>(_ use: (EchoConnection) async throws -> Result) async throws -> Result {
        let peer = try PeerProcess.start("echo")
        let loop = EventLoop(name: "host")
        defer { loop.shutdown() }
        let end = PipeEnd(reading: peer.reading, writing: peer.writing, loop: loop)
        let connection = Connection(
            end: end, loop: loop, configuration: Connection.Configuration(role: .initiator, preface: .expects),
            logger: .quiet)
        _ = try await connection.open()
        async let ended = connection.run(NoRequests())
        let result = try await use(EchoConnection(connection: connection, loop: loop))
        await connection.shutdown(grace: .seconds(5))
        _ = await ended
        peer.wait()
        return result
    }

    /// - Returns: microseconds a request, one after the other.
    func sequential(_ count: Int) async throws -> Double {
        try await withTaskExecutorPreference(loop) {
            let start = ContinuousClock.now
            for _ in 0..<count {
                _ = try await connection.request(body, deadline: .total(.seconds(30)))
            }
            return (ContinuousClock.now - start).microseconds / Double(count)
        }
    }

    /// - Returns: requests a second, with as many tasks asking at once.
    func pipelined(_ count: Int, tasks: Int) async throws -> Double {
        try await withTaskExecutorPreference(loop) {
            let start = ContinuousClock.now
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<tasks {
                    group.addTask {
                        for _ in 0..<count / tasks {
                            _ = try await connection.request(body, deadline: .total(.seconds(30)))
                        }
                    }
                }
            }
            return Double(count) * 1e6 / (ContinuousClock.now - start).microseconds
        }
    }

    private struct NoRequests: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] { [] }
    }
}
