import DocumentModel
import Synchronization

/// Lets tools wait for changes of key-value data. Revisions are good while the host runs: a tool's wait is.
final class KeyValueNews: Sendable {
    private typealias Turn = CheckedContinuation<Void, Never>

    private struct State {
        /// Those that are not here have the first one.
        var revisions: [ContainerIdentifier: UInt64] = [:]
        var waiting: [UInt64: (identifier: ContainerIdentifier, turn: Turn)] = [:]
        var lastTicket: UInt64 = 0

        func revision(of identifier: ContainerIdentifier) -> UInt64 { revisions[identifier] ?? 1 }

        mutating func takeWaiting(where isMeant: (ContainerIdentifier) -> Bool) -> [Turn] {
            let tickets = waiting.filter { isMeant($0.value.identifier) }.keys
            return tickets.compactMap { waiting.removeValue(forKey: $0)?.turn }
        }
    }

    private let state = Mutex(State())

    func revision(of identifier: ContainerIdentifier) -> UInt64 { state.withLock { $0.revision(of: identifier) } }

    /// Values were changed.
    func changed(_ identifier: ContainerIdentifier) {
        let turns = state.withLock { state in
            state.revisions[identifier] = state.revision(of: identifier) + 1
            return state.takeWaiting { $0 == identifier }
        }
        for turn in turns { turn.resume() }
    }

    /// What tools may do has changed: whoever waits looks again.
    func wakeAll() {
        for turn in state.withLock({ $0.takeWaiting { _ in true } }) { turn.resume() }
    }

    /// Waits until there is something new, or may be.
    ///
    /// - Throws: `cancelled`.
    func wait(for identifier: ContainerIdentifier, after revision: UInt64) async throws(DocumentError) {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let waits = state.withLock { state in
                    // Cancelled before it waited, it would not have been found.
                    guard state.revision(of: identifier) == revision, !Task.isCancelled else { return false }
                    state.waiting[ticket] = (identifier, turn)
                    return true
                }
                if !waits { turn.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket)?.turn }?.resume()
        }
        guard !Task.isCancelled else { throw DocumentError(wrapping: CancellationError()) }
    }
}
