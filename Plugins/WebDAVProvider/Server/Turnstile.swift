internal import Synchronization

/// Lets so many pass at a time; the others wait in the order in which they came.
///
/// Whoever waited for a connection inside the HTTP client would be told that the server cannot be reached.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var next: UInt64 = 0
        /// In the order of their tickets.
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        /// Cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: max(count, 1)))
    }

    /// - Throws: `CancellationError`, or what the body throws.
    func pass<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Swift.Result<Void, CancellationError>? in
                    if state.cancelled.remove(ticket) != nil { return .failure(CancellationError()) }
                    guard state.free == 0 else {
                        state.free -= 1
                        return .success(())
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                switch outcome {
                case .success: continuation.resume()
                case .failure(let error): continuation.resume(throwing: error)
                case nil: break
                }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiter?.resume(throwing: CancellationError())
        }
        // Cancelled after it was let in: nobody takes the mark any more.
        _ = state.withLock { $0.cancelled.remove(ticket) }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
