package import DocumentModel
package import DocumentTransport
package import DocumentWire
import Foundation
package import ProviderLauncher
import Synchronization
package import SystemPackage

/// A session with a provider: the hellos were exchanged, and it answers.
///
/// What is asked through ``ask(_:within:onProgress:)`` carries the id of the check that asks, is answered within a time or
/// fails, and is checked as a host checks it.
package final class ConformanceSession: Sendable {
    package let connection: Connection
    package let peer: Peer
    package let capabilities: SessionCapabilities
    package let process: ProviderProcess
    /// What was not granted to it because it was not there.
    package let missing: [FilePath]
    package let folder: KitFolder
    /// How long a request may take, and how long something that comes by itself is waited for.
    let requestLimit: Duration
    private let handler: Handler
    private let state = Mutex(State())

    private struct State {
        var label: String?
        var end: ConnectionEnd?
    }

    package var rootID: ItemIdentifier { capabilities.rootID }
    /// How the connection has ended, if it has.
    package var end: ConnectionEnd? { state.withLock { $0.end } }
    /// The placeholders that the provider had written, in order.
    package var placeholders: [Item] { handler.state.withLock { $0.placeholders } }
    /// What the provider told, in order.
    package var events: [ProviderEvent] { handler.state.withLock { $0.events } }

    private init(
        connection: Connection, peer: Peer, capabilities: SessionCapabilities, process: ProviderProcess,
        missing: [FilePath], folder: KitFolder, requestLimit: Duration, handler: Handler
    ) {
        self.connection = connection
        self.peer = peer
        self.capabilities = capabilities
        self.process = process
        self.missing = missing
        self.folder = folder
        self.requestLimit = requestLimit
        self.handler = handler
    }

    /// How a host says hello to the provider.
    package static func configuration(
        for provider: ProviderUnderTest, label: String
    ) throws -> Connection.Configuration {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.software = "provider-conformance"
        configuration.session = label
        configuration.locale = "en"
        configuration.context = try provider.sessionSettings.serialized()
        configuration.peerName = "The provider"
        configuration.deathMessage = "The provider ended, or closed its standard output, before it had answered."
        configuration.printedAdvice =
            "What came reads like text that was printed to standard output, which carries the protocol: print to standard error."
        configuration.handshakeTimeout = provider.startLimit
        configuration.cancelGrace = .seconds(5)
        configuration.frameTimeout = .seconds(10)
        return configuration
    }

    /// Says hello over a process's pipes, runs the body, and ends the session in good order: a shutdown, the end of the
    /// input, and the ladder for who stays.
    ///
    /// - Throws: ``CheckFailure`` when the provider does not get through the handshake; what the body throws.
    package static func with<Result: Sendable>(
        _ launched: LaunchedProvider, of provider: ProviderUnderTest, requestLimit: Duration, label: String,
        configure: @Sendable (inout Connection.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (ConformanceSession) async throws -> Result
    ) async throws -> Result {
        var configuration = try Self.configuration(for: provider, label: label)
        configure(&configuration)
        let connection = Connection(
            end: launched.end, loop: provider.context.loop, configuration: configuration,
            logger: provider.context.logger)
        let peer: Peer
        let capabilities: SessionCapabilities
        do {
            peer = try await connection.open()
            capabilities = try SessionCapabilities(serialized: peer.context)
        } catch {
            connection.close(nil)
            await launched.process.end(.brief)
            var failure = CheckFailure(
                "The provider did not get through the handshake: \(error.message)", detail: error.detail)
            failure.isOfEnd = error.code == .providerDied
            throw failure
        }
        let handler = Handler()
        let session = ConformanceSession(
            connection: connection, peer: peer, capabilities: capabilities, process: launched.process,
            missing: launched.missing, folder: provider.folder, requestLimit: requestLimit, handler: handler)
        session.label(label)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let end = await connection.run(handler)
                session.state.withLock { $0.end = end }
            }
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(try await body(session))
            } catch {
                outcome = .failure(error)
            }
            if Task.isCancelled {
                connection.close(nil)
                await launched.process.end(.brief)
            } else {
                await connection.shutdown(grace: .seconds(1))
                await launched.process.end(ShutdownLadder())
            }
            try await group.waitForAll()
            return try outcome.get()
        }
    }

    /// What the requests from now on are called in logs: the id of a check.
    package func label(_ text: String) {
        state.withLock { $0.label = text }
    }

    /// Refuses to write placeholders from now on; nil to write them.
    package func answerPlaceholders(with refusal: DocumentError?) {
        handler.state.withLock { $0.refusal = refusal }
    }

    /// Takes a while to write placeholders from now on.
    package func answerPlaceholders(after delay: Duration) {
        handler.state.withLock { $0.delay = delay }
    }

    // MARK: Asking

    /// Asks the provider, and checks the answer as a host does.
    ///
    /// - Parameter limit: how long the provider may take; what the configuration says when nil.
    /// - Throws: a `DocumentError` that the provider answered with; ``CheckFailure`` for no answer in time, one that
    ///   makes no sense, or the provider's death.
    package func ask(
        _ call: ProviderCall, within limit: Duration? = nil,
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> ProviderReply {
        let body = try await ask(raw: call.serialized(), within: limit, onProgress: onProgress)
        do {
            let reply = try ProviderReply(serialized: body, to: call)
            try reply.check(answers: call)
            return reply
        } catch {
            throw CheckFailure(
                "The answer to \(call.name) breaks the contract: \(([error.message] + error.causes).last ?? "")",
                detail: error.description)
        }
    }

    /// Asks with a body of any kind.
    ///
    /// - Throws: as ``ask(_:within:onProgress:)``.
    package func ask(
        raw body: [UInt8], within limit: Duration? = nil, onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> [UInt8] {
        let label = state.withLock { $0.label.flatMap(RequestLabel.init) }
        do {
            return try await connection.request(
                body, deadline: .total(limit ?? requestLimit), label: label, onProgress: onProgress)
        } catch {
            // What the provider answers can have none of these codes.
            switch error.code {
            case .deadlineExceeded:
                throw CheckFailure("The provider did not answer in time.", detail: error.description)
            case .providerDied:
                throw CheckFailure(error.message, detail: process.lastWords.joined(separator: "\n"))
            case .protocolViolation, .frameTooLarge:
                throw CheckFailure(error.message, detail: connection.failure?.description ?? error.detail)
            default:
                throw error
            }
        }
    }

    /// What the host answers and takes.
    private final class Handler: RequestHandler {
        struct State {
            var placeholders: [Item] = []
            var events: [ProviderEvent] = []
            var secrets: [String: [UInt8]] = [:]
            var refusal: DocumentError?
            var delay = Duration.zero
        }

        /// More is not kept of a provider that does not stop.
        private static let most = 10_000
        let state = Mutex(State())

        func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
            switch try HostCall(serialized: body) {
            case .writePlaceholder(let item):
                let (refusal, delay) = state.withLock { ($0.refusal, $0.delay) }
                if delay > .zero { try await Task.sleep(for: delay) }
                if let refusal { throw refusal }
                state.withLock { if $0.placeholders.count < Self.most { $0.placeholders.append(item) } }
                return HostReply.writePlaceholder.serialized()
            case .prompt: throw DocumentError(.notAuthenticated, "Nobody is signing in just now.")
            case .loadSecret(let name):
                return HostReply.loadSecret(state.withLock { $0.secrets[name] }).serialized()
            case .storeSecret(let name, let value):
                state.withLock { state in
                    if state.secrets.count < Self.most { state.secrets[name] = value.isEmpty ? nil : value }
                }
                return HostReply.storeSecret.serialized()
            }
        }

        func received(notification body: [UInt8]) async {
            guard let event = try? ProviderEvent(serialized: body) else { return }
            state.withLock { if $0.events.count < Self.most { $0.events.append(event) } }
        }
    }
}

extension ProviderCall {
    /// As the protos call it.
    package var name: String {
        switch self {
        case .identity: "Identity"
        case .item: "GetItem"
        case .enumerate: "Enumerate"
        case .providePlaceholder: "ProvidePlaceholder"
        case .startProviding: "StartProviding"
        case .itemChanged: "ItemChanged"
        case .stopProviding: "StopProviding"
        case .identifierForPath: "IdentifierForPath"
        case .pathForIdentifier: "PathForIdentifier"
        case .create: "Create"
        case .modify: "Modify"
        case .delete: "Delete"
        case .currentAnchor: "CurrentAnchor"
        case .changesSince: "ChangesSince"
        case .provideRange: "ProvideRange"
        case .preparePicker: "PreparePicker"
        case .validateChoice: "ValidateChoice"
        case .endPicker: "EndPicker"
        case .thumbnails: "GetThumbnails"
        case .listVersions: "ListVersions"
        case .provideVersion: "ProvideVersion"
        case .keepVersion: "KeepVersion"
        case .removeVersion: "RemoveVersion"
        case .quota: "GetQuota"
        }
    }
}
