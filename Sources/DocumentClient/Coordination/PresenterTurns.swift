import Synchronization

/// Lets a presenter take one message at a time, in the order in which they came, also when the host sends several at once
/// (COORD-29). Different presenters do not wait for each other.
///
/// A message waits in the task that answers it: it leaves when its request is given up or the connection ends.
final class PresenterTurns: Sendable {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        /// A presenter is there while it answers, with the messages that wait for that.
        var lines: [UInt64: [(ticket: UInt64, turn: Turn)]] = [:]
        var lastTicket: UInt64 = 0

        /// - Returns: whether nobody had the presenter's turn, and whoever asks has it now.
        mutating func takeFree(_ presenter: UInt64) -> Bool {
            guard lines[presenter] == nil else { return false }
            lines[presenter] = []
            return true
        }
    }

    private let state = Mutex(State())

    /// - Throws: `CancellationError` when the task is cancelled while it waits; then the closure was not run.
    func take<Value>(_ presenter: UInt64, _ body: () async throws -> Value) async throws -> Value {
        try await wait(for: presenter)
        defer { pass(presenter) }
        return try await body()
    }

    private func wait(for presenter: UInt64) async throws {
        let ticket = state.withLock { state -> UInt64? in
            if state.takeFree(presenter) { return nil }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let outcome = state.withLock { state -> Bool? in
                    if state.takeFree(presenter) { return true }
                    // Cancelled before it stood in the line, where it would not have been found.
                    if Task.isCancelled { return false }
                    state.lines[presenter]?.append((ticket, turn))
                    return nil
                }
                if let outcome { turn.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { state -> Turn? in
                guard let index = state.lines[presenter]?.firstIndex(where: { $0.ticket == ticket }) else { return nil }
                return state.lines[presenter]?.remove(at: index).turn
            }?.resume(returning: false)
        }
        guard isMine else { throw CancellationError() }
    }

    private func pass(_ presenter: UInt64) {
        state.withLock { state -> Turn? in
            guard let line = state.lines[presenter], !line.isEmpty else {
                state.lines[presenter] = nil
                return nil
            }
            return state.lines[presenter]?.removeFirst().turn
        }?.resume(returning: true)
    }
}
