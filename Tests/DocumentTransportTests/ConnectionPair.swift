import DocumentModel
import DocumentTransport
import Glibc
import Logging
import SystemPackage
import Testing

/// Over what a test runs: the same body for all of them.
enum EndKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, pipes, socket

    var testDescription: String { rawValue }

    func pair(loop: EventLoop, _ otherLoop: EventLoop) throws -> (any TransportEnd, any TransportEnd) {
        switch self {
        case .memory:
            return MemoryEnd.pair(loop: loop)
        case .pipes:
            let (one, two) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
            return (
                PipeEnd(reading: one.readEnd, writing: two.writeEnd, loop: loop),
                PipeEnd(reading: two.readEnd, writing: one.writeEnd, loop: otherLoop)
            )
        case .socket:
            var descriptors: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
            return (
                SocketEnd(socket: FileDescriptor(rawValue: descriptors[0]), loop: loop, takingPassed: true),
                SocketEnd(socket: FileDescriptor(rawValue: descriptors[1]), loop: otherLoop)
            )
        }
    }
}

/// A host and a provider, connected and open, for as long as the body runs.
struct ConnectionPair {
    let host: Connection
    let provider: Connection

    static func with(
        _ kind: EndKind,
        host hostHandler: some RequestHandler = Refusing(),
        provider providerHandler: some RequestHandler,
        configure: (inout Connection.Configuration) -> Void = { _ in },
        _ body: (ConnectionPair) async throws -> Void,
        ended: (_ host: ConnectionEnd, _ provider: ConnectionEnd) -> Void = { _, _ in }
    ) async throws {
        ignoreBrokenPipeSignal()
        let (loop, otherLoop) = (EventLoop(name: "host"), EventLoop(name: "provider"))
        defer {
            loop.shutdown()
            otherLoop.shutdown()
        }
        let (one, two) = try kind.pair(loop: loop, otherLoop)
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.peerName = "The provider test"
        configure(&configuration)
        var providerConfiguration = Connection.Configuration(role: .responder, preface: .sends)
        providerConfiguration.peerName = "The host"
        configure(&providerConfiguration)
        let pair = ConnectionPair(
            host: Connection(end: one, loop: loop, configuration: configuration, logger: .quiet),
            provider: Connection(end: two, loop: otherLoop, configuration: providerConfiguration, logger: .quiet))
        async let provided = pair.provider.open { _ in [] }
        _ = try await pair.host.open()
        _ = try await provided
        async let hostEnd = pair.host.run(hostHandler)
        async let providerEnd = pair.provider.run(providerHandler)
        do {
            try await body(pair)
        } catch {
            Issue.record(error)
        }
        pair.host.close(nil)
        ended(await hostEnd, await providerEnd)
    }
}

/// Answers nothing.
struct Refusing: RequestHandler {
    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        throw DocumentError(.unimplemented, "Nothing is answered here.")
    }
}

/// Answers with what a closure returns.
struct Answering: RequestHandler {
    let body: @Sendable ([UInt8], IncomingRequest) async throws -> [UInt8]

    init(_ body: @escaping @Sendable ([UInt8], IncomingRequest) async throws -> [UInt8]) {
        self.body = body
    }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        try await self.body(body, request)
    }
}

/// Takes notifications with a closure.
struct Noting: RequestHandler {
    let body: @Sendable ([UInt8]) async -> Void

    init(_ body: @escaping @Sendable ([UInt8]) async -> Void) {
        self.body = body
    }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] { [] }

    func received(notification body: [UInt8]) async {
        await self.body(body)
    }
}

extension Logger {
    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
