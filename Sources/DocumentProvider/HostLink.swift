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
        let connection = state.withLock { state -> Connection? in
            if case .open(let connection) = state { connection } else { nil }
        }
        guard let connection else {
            throw DocumentError(
                .notPermitted,
                "The placeholder of “\(item.name?.rawValue ?? item.id.rawValue)” cannot be written: the host is not connected."
            )
        }
        let answer = try await connection.request(
            HostCall.writePlaceholder(item).serialized(), deadline: .total(.seconds(30))
        )
        guard try HostReply(serialized: answer) == .writePlaceholder else {
            throw DocumentError(.internal, "The host answered something else than it was asked.")
        }
    }

    func signalChanges() {
        tell(.changesAvailable)
    }

    func note(_ text: String) {
        tell(.note(text))
    }

    func signalErrorResolved(_ codes: [DocumentError.Code]) {
        tell(.errorResolved(codes))
    }
}
