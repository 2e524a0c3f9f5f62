internal import AsyncHTTPClient
internal import DocumentModel
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import SystemPackage

/// Connections by HTTP/1.1, kept and used again, encrypted where the address says so.
final class HTTPTransport: ServerTransport {
    private let client: HTTPClient
    /// For contents that are sent, whose answers may take longer; the library knows one time for all of a client.
    private let sender: HTTPClient
    /// In bytes.
    private static let largestRead = 1 << 20

    init(_ settings: WebDAVSettings, timing: Timing) throws(DocumentError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let file = settings.certificates {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file.string))
            } catch {
                throw DocumentError(
                    .notConfigured,
                    "The certificates in “\(file)” cannot be read; the setting “ca-file” needs a PEM file.",
                    causes: ["\(error)"])
            }
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(timing.connect), read: TimeAmount(timing.silence)),
            connectionPool: .init(
                idleTimeout: .seconds(30), concurrentHTTP1ConnectionsPerHostSoftLimit: settings.connections),
            proxy: settings.proxy.map { .server(host: $0.host, port: Int($0.port)) }, decompression: .disabled)
        // Of a server that takes nothing more ``UploadWatch`` takes care: this stands still while nothing can be written.
        configuration.timeout.write = TimeAmount(timing.silence)
        configuration.httpVersion = .http1Only
        // Whether a connection is tried again is said by the plan.
        configuration.connectionPool.retryConnectionEstablishment = false
        // The library hands out what one read has brought, and reads on when that is taken: in parts of its usual 64 KiB a
        // large document takes half as long again.
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(
                ChannelOptions.recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 1 << 14, maximum: Self.largestRead))
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        configuration.timeout.read = TimeAmount(timing.digesting)
        sender = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // One that nobody holds any more and that was not shut down ends the process: these stay until then.
        for client in [client, sender] { _ = Unmanaged.passRetained(client) }
    }

    func execute(
        _ request: HTTPClientRequest, sendsContents: Bool, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        try await (sendsContents ? sender : client).execute(request, deadline: deadline)
    }

    func shutdown() async {
        for client in [client, sender] {
            try? await client.shutdown()
            Unmanaged.passUnretained(client).release()
        }
    }
}
