import DocumentModel
import Synchronization

/// Lets calls in, and counts them; one at a time, or as many as come.
final class Turnstile: Sendable {
    private struct State {
        var inside = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let mistake: Mistake?
    private let state = Mutex(State())

    init(mistake: Mistake?) {
        self.mistake = mistake
    }

    func pass<Result>(_ body: () async throws -> Result) async throws -> Result {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                state.inside += 1
                guard mistake == .oneAtATime, state.inside > 1 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
        defer { leave() }
        if mistake == .busyTooSoon, state.withLock({ $0.inside }) > 4 {
            throw DocumentError(.busy, "Too much is going on. Try again.")
        }
        return try await body()
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.inside -= 1
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
