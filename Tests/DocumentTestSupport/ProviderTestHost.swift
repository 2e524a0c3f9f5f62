package import DocumentModel
package import DocumentTransport
package import DocumentWire
import Logging
import Synchronization

/// The host's end of a connection to a provider, for tests of providers: asks, and keeps what it is asked and told.
package struct ProviderTestHost: Sendable {
    package let connection: Connection
    package let peer: Peer
    package let capabilities: SessionCapabilities
    /// What the provider told, in order; ends with the connection.
    package let events: AsyncStream<ProviderEvent>
    private let handler: Handler

    /// The placeholders that the provider had written.
    package var placeholders: [Item] { handler.placeholders.withLock { $0 } }

    /// Says hello to a provider, runs the body, and ends the session in good order.
    ///
    /// - Parameter refusal: what a provider gets that has a placeholder written; nil for success.
    package static func with<Result>(
        end: any TransportEnd,
        loop: EventLoop,
        settings: SessionSettings,
        refusal: DocumentError? = nil,
        configure: (inout Connection.Configuration) -> Void = { _ in },
        body: (ProviderTestHost) async throws -> Result
    ) async throws -> Result {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.software = "test"
        configuration.peerName = "The provider"
        configuration.context = settings.serialized()
        configure(&configuration)
        let connection = Connection(
            end: end, loop: loop, configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let peer = try await connection.open()
        let (events, continuation) = AsyncStream.makeStream(of: ProviderEvent.self)
        let handler = Handler(events: continuation, refusal: refusal)
        let host = ProviderTestHost(
            connection: connection, peer: peer, capabilities: try SessionCapabilities(serialized: peer.context),
            events: events, handler: handler
        )
        async let ended: ConnectionEnd = {
            let end = await connection.run(handler)
            continuation.finish()
            return end
        }()
        do {
            let result = try await body(host)
            await connection.shutdown(grace: .seconds(5))
            _ = await ended
            return result
        } catch {
            connection.close(nil)
            _ = await ended
            throw error
        }
    }

    /// Asks the provider, and checks the answer as a host does.
    package func ask(
        _ call: ProviderCall,
        deadline: Deadline = .total(.seconds(20)),
        label: RequestLabel? = nil,
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> ProviderReply {
        let body = try await connection.request(
            call.serialized(), deadline: deadline, label: label, onProgress: onProgress)
        let reply = try ProviderReply(serialized: body)
        try reply.check(answers: call)
        return reply
    }

    private final class Handler: RequestHandler {
        let events: AsyncStream<ProviderEvent>.Continuation
        let refusal: DocumentError?
        let placeholders = Mutex<[Item]>([])
        let secrets = Mutex<[String: [UInt8]]>([:])

        init(events: AsyncStream<ProviderEvent>.Continuation, refusal: DocumentError?) {
            self.events = events
            self.refusal = refusal
        }

        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            switch try HostCall(serialized: body) {
            case .writePlaceholder(let item):
                if let refusal { throw refusal }
                placeholders.withLock { $0.append(item) }
                return HostReply.writePlaceholder.serialized()
            case .prompt(let prompt):
                // Somebody who types what they are asked for.
                let typed = prompt.fields.map { ($0.key, "typed \($0.label)") }
                return HostReply.prompt(Dictionary(typed) { $1 }).serialized()
            case .loadSecret(let name): return HostReply.loadSecret(secrets.withLock { $0[name] }).serialized()
            case .storeSecret(let name, let value):
                secrets.withLock { $0[name] = value.isEmpty ? nil : value }
                return HostReply.storeSecret.serialized()
            }
        }

        func received(notification body: [UInt8]) async {
            if let event = try? ProviderEvent(serialized: body) { events.yield(event) }
        }
    }
}

extension SessionSettings {
    /// Settings for a test, with its folders below one.
    package static func test(
        domain: String = "test", settings: [String: String] = [:], folder: String = "/nowhere",
        provider: String = "org.example.test"
    ) throws -> SessionSettings {
        SessionSettings(
            providerID: try ProviderIdentifier(provider), domain: try DomainName(domain), settings: settings,
            stateFolder: folder + "/state", storageRoot: folder + "/root", stagingFolder: folder + "/staging"
        )
    }
}
