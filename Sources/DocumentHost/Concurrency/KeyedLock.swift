package import DocumentModel
import Synchronization

/// Lets one task at a time work on each key, first come, first served: what the host does to one item happens one
/// thing after the other.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    private struct State {
        /// A key is there while somebody holds it.
        var lines: [Key: WaitingLine] = [:]
        var nextTicket: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Throws: `cancelled` when the task is cancelled while it waits for the others; then `body` was not called.
    package func withLock<Value: Sendable>(
        _ key: Key, _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        try await lock(key)
        defer { unlock(key) }
        return try await body()
    }

    /// Waits for nobody.
    ///
    /// - Returns: nil, and nothing was done, when somebody works on the key.
    package func withLockIfFree<Value: Sendable, Failure: Error>(
        _ key: Key, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value? {
        let isFree = state.withLock { state in
            guard state.lines[key] == nil else { return false }
            state.lines[key] = WaitingLine()
            return true
        }
        guard isFree else { return nil }
        defer { unlock(key) }
        return try await body()
    }

    /// Whether somebody works on the key just now.
    package func isHeld(_ key: Key) -> Bool { state.withLock { $0.lines[key] != nil } }

    /// Whether somebody waits for whoever works on the key.
    package func isAwaited(_ key: Key) -> Bool { state.withLock { $0.lines[key]?.isEmpty == false } }

    private func lock(_ key: Key) async throws(DocumentError) {
        let ticket = state.withLock { state -> UInt64? in
            if state.lines[key] == nil {
                state.lines[key] = WaitingLine()
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Bool? in
                    if state.lines[key] == nil {
                        state.lines[key] = WaitingLine()
                        return true
                    }
                    // Cancelled before it stood in the line, where it would not have been found.
                    if Task.isCancelled { return false }
                    state.lines[key]?.append(continuation, ticket: ticket)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.lines[key]?.remove(ticket) }?.resume(returning: false)
        }
        guard isMine else { throw DocumentError(wrapping: CancellationError()) }
    }

    private func unlock(_ key: Key) {
        let next = state.withLock { state -> WaitingLine.Turn? in
            let next = state.lines[key]?.popFirst()
            if next == nil { state.lines[key] = nil }
            return next
        }
        next?.resume(returning: true)
    }
}
