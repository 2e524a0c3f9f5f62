import DocumentModel
import DocumentTransport
import DocumentWire

/// A connection to ``LargeProvider`` without a host: what the provider alone needs.
struct ProviderConnection: Sendable {
    private let connection: Connection

    static func with<Result: Sendable>(
        _ settings: SessionSettings, _ use: (ProviderConnection) async throws -> Result
    ) async throws -> Result {
        let peer = try PeerProcess.start("provider")
        let loop = EventLoop(name: "provider")
        defer { loop.shutdown() }
        let end = PipeEnd(reading: peer.reading, writing: peer.writing, loop: loop)
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.context = settings.serialized()
        let connection = Connection(end: end, loop: loop, configuration: configuration, logger: .quiet)
        _ = try await connection.open()
        async let ended = connection.run(NoRequests())
        let result = try await use(ProviderConnection(connection: connection))
        await connection.shutdown(grace: .seconds(5))
        _ = await ended
        peer.wait()
        return result
    }

    func ask(_ call: ProviderCall) async throws {
        let body = try await connection.request(call.serialized(), deadline: .total(.seconds(60)))
        _ = try ProviderReply(serialized: body, to: call)
    }

    private struct NoRequests: RequestHandler {
        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] { [] }
    }
}
