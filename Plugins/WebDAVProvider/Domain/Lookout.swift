internal import Synchronization

/// Looks for a server that could not be reached, less and less often, until it is there again.
///
/// Nothing of it runs while all is well. The request that found the server gone does not wait for it, so the looking is a
/// task of its own, which ends with ``stop()``.
final class Lookout: Sendable {
    private let timing: Timing
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(timing: Timing) {
        self.timing = timing
    }

    deinit {
        task.withLock { $0?.cancel() }
    }

    /// Begins to look, unless it is done already.
    ///
    /// - Parameters:
    ///   - isThere: looks once.
    ///   - found: the server is there again.
    func begin(isThere: @escaping @Sendable () async -> Bool, found: @escaping @Sendable () -> Void) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task(executorPreference: timing.executor) { [timing, weak self] in
                var pause = timing.firstLook
                while !Task.isCancelled {
                    guard (try? await timing.pause(pause)) != nil else { return }
                    if await isThere() {
                        self?.end()
                        return found()
                    }
                    pause = min(pause * 2, timing.longestLook)
                }
            }
        }
    }

    func stop() {
        task.withLock { $0?.cancel() }
    }

    private func end() {
        task.withLock { $0 = nil }
    }
}
