internal import Synchronization

/// Asks a server that tells of changes, less and less often, whether there are any: one small request each time.
///
/// Nobody waits for it, so it is a task of its own, which ends with ``stop()``.
final class NewsWatch: Sendable {
    private struct State {
        /// What the host was told up to.
        var told: String?
        var task: Task<Void, Never>?
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
    ///   - current: the server's token now; nil when it cannot be asked.
    ///   - isOver: whether it is of no use to go on after a failure.
    ///   - found: there is something new.
    func told(
        _ token: String, current: @escaping @Sendable () async throws -> String?,
        isOver: @escaping @Sendable (any Error) -> Bool, found: @escaping @Sendable () -> Void
    ) {
        state.withLock { state in
            state.told = token
            guard state.task == nil else { return }
            state.task = Task { [timing, weak self] in
                var pause = timing.firstNews
                while !Task.isCancelled {
                    guard (try? await timing.pause(pause)) != nil else { return }
                    pause = min(pause * 2, timing.longestNews)
                    do {
                        let now = try await current()
                        guard let self else { return }
                        if now == self.state.withLock({ $0.told }) { continue }
                        pause = timing.firstNews
                        found()
                    } catch {
                        guard isOver(error) else { continue }
                        self?.end()
                        return
                    }
                }
            }
        }
    }

    func stop() {
        state.withLock { $0.task?.cancel() }
    }

    private func end() {
        state.withLock { $0.task = nil }
    }
}
