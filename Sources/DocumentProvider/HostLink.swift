import DocumentModel
import DocumentTransport
import DocumentWire
import Synchronization

/// The way from a provider to its host. Before the hello is over nothing may be sent: what is told then is kept, and
/// what is asked is refused.
final class HostLink: ProviderHost {
    private enum State {
        /// What was told so far.
        case opening([ProviderEvent])
        case open(Connection)
        case closed
    }

    /// More than this is not kept while the hello is under way.
    private static let mostKept = 256
    private let state = Mutex(State.opening([]))

    /// Sends what was kept, and from now on everything at once.
    func open(_ connection: Connection) {
        state.withLock { state in
            if case .opening(let events) = state {
                for event in events { connection.notify(event.serialized()) }
            }
            state = .open(connection)
        }
    }

    func close() {
        state.withLock { $0 = .closed }
    }

    func tell(_ event: ProviderEvent) {
        let connection = state.withLock { state -> Connection? in
            switch state {
            case .opening(var events):
                if events.count < Self.mostKept {
                    events.append(event)
                    state = .opening(events)
                }
                return nil
            case .open(let connection): return connection
            case .closed: return nil
            }
        }
        connection?.notify(event.serialized())
    }

    func writePlaceholder(_ item: Item) async throws {
        let refusal = "The placeholder of “\(item.name?.rawValue ?? item.id.rawValue)” cannot be written"
        guard case .writePlaceholder = try await ask(.writePlaceholder(item), else: refusal) else {
            throw Self.unexpected
        }
    }

    func prompt(_ prompt: Prompt) async throws -> [String: String] {
        // Whoever is asked may take their time.
        guard case .prompt(let values) = try await ask(.prompt(prompt), .none, else: "Nobody can be asked") else {
            throw Self.unexpected
        }
        return values
    }

    func secret(named name: String) async throws -> [UInt8]? {
        let reply = try await ask(.loadSecret(name), else: "The secret “\(name)” cannot be looked up")
        guard case .loadSecret(let value) = reply else { throw Self.unexpected }
        return value
    }

    func storeSecret(_ value: [UInt8], named name: String) async throws {
        let reply = try await ask(.storeSecret(name, value), else: "The secret “\(name)” cannot be kept")
        guard case .storeSecret = reply else { throw Self.unexpected }
    }

    /// - Parameter refusal: what cannot be done while there is no connection, without a full stop.
    private func ask(
        _ call: HostCall, _ deadline: Deadline = .total(.seconds(30)), else refusal: String
    ) async throws -> HostReply {
        let connection = state.withLock { state -> Connection? in
            if case .open(let connection) = state { connection } else { nil }
        }
        guard let connection else { throw DocumentError(.notPermitted, "\(refusal): the host is not connected.") }
        return try HostReply(serialized: try await connection.request(call.serialized(), deadline: deadline))
    }

    private static var unexpected: DocumentError {
        DocumentError(.internal, "The host answered something else than it was asked.")
    }

    func signalChanges() {
        tell(.changesAvailable)
    }

    func note(_ note: DomainNote) {
        tell(.note(note))
    }

    func signalErrorResolved(_ codes: [DocumentError.Code]) {
        tell(.errorResolved(codes))
    }
}
