internal import Synchronization

/// Asks a server that tells of changes, less and less often, whether there are any: one small request each time.
///
/// Nobody waits for it, so it is a task of its own, which ends with ``stop()``.
final class NewsWatch: Sendable {
    private struct State {
        /// What the host was told up to.
        var told: String?
        /// The host has taken something up since it was last looked.
        var isTaken = false
        var task: Task<Void, Never>?
        /// Counts the tasks, so that one that is over ends no other one.
        var number = 0
        var isClosed = false
    }

    private let timing: Timing
    private let state = Mutex(State())

    init(timing: Timing) {
        self.timing = timing
    }

    deinit {
        state.withLock { $0.task?.cancel() }
    }

    /// The host was told all up to a token; looks for what comes after it.
    ///
    /// - Parameters:
    ///   - isNews: whether the host was told anything just now.
    ///   - current: the server's token now; nil when it cannot be asked.
    ///   - isOver: whether it is of no use to go on after a failure.
    ///   - found: there is something new.
    func told(
        _ token: String, isNews: Bool, current: @escaping @Sendable () async throws -> String?,
        isOver: @escaping @Sendable (any Error) -> Bool, found: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            state.told = token
            state.isTaken = state.isTaken || isNews
            guard state.task == nil, !state.isClosed else { return }
            state.isTaken = false
            state.number += 1
            let number = state.number
            state.task = Task(executorPreference: timing.executor) { [timing, weak self] in
                var pause = timing.firstNews
                // Where nobody takes up what is new, it is of no use to say it often.
                var isAnswered = true
                while !Task.isCancelled {
                    guard (try? await timing.pause(pause)) != nil else { return }
                    pause = min(pause * 2, timing.longestNews)
                    do {
                        let now = try await current()
                        guard let self, let last = self.last(number) else { return }
                        if last.isTaken { isAnswered = true }
                        if now == last.told { continue }
                        if isAnswered { pause = timing.firstNews }
                        isAnswered = false
                        found()
                    } catch {
                        guard isOver(error) else { continue }
                        self?.end(number)
                        return
                    }
                }
            }
        }
    }

    /// There is nothing to look for, until the host is told something again.
    func pause() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
            state.number += 1
        }
    }

    func stop() {
        state.withLock { state in
            state.isClosed = true
            state.task?.cancel()
        }
    }

    /// - Returns: what the host was told, and whether it has taken anything up since the last look; nil when it is not looked
    ///   for any more.
    private func last(_ number: Int) -> (told: String?, isTaken: Bool)? {
        state.withLock { state in
            guard state.number == number, !state.isClosed else { return nil }
            defer { state.isTaken = false }
            return (told: state.told, isTaken: state.isTaken)
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            guard state.number == number else { return }
            state.task = nil
        }
    }
}
