internal import Synchronization

/// Calls that block, and of which nobody knows whether they ever return: what looks at a path that a dead network, or a
/// file system of somebody else's, keeps.
///
/// Each has a thread of its own, so that it takes none from others, and is given up when it takes too long. What was given
/// up and still hangs is bounded: more are not begun before one of them returns.
package final class UnboundedCalls: Sendable {
    private struct State {
        var running = 0
        var hanging = 0
    }

    private let name: String
    private let mostHanging: Int
    private let state = Mutex(State())

    package init(name: String, mostHanging: Int = 2) {
        self.name = name
        self.mostHanging = mostHanging
    }

    /// Whether one is under way, or hangs.
    package var isBusy: Bool { state.withLock { $0.running > 0 } }

    /// Runs the body, and does not wait longer than that for it; nor when the task is cancelled.
    ///
    /// - Returns: nil when it was given up, and was left to end when it can, or not begun.
    package func run<T: Sendable>(
        within limit: Duration?, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T? {
        guard
            state.withLock({ state in
                guard state.hanging < mostHanging else { return false }
                state.running += 1
                return true
            })
        else { return nil }
        let call = Call<T>()
        let thread = LoopThread.start(name: name) {
            let result = Result(catching: body)
            self.state.withLock { state in
                state.running -= 1
                if !call.end(with: result) { state.hanging -= 1 }
            }
        }
        guard let thread else {
            state.withLock { $0.running -= 1 }
            return nil
        }
        thread.detach()
        return try await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if let limit {
                    try? await Task.sleep(for: limit)
                } else {
                    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
                }
                self.state.withLock { state in
                    if call.end(with: nil) { state.hanging += 1 }
                }
            }
            let result = await call.result
            group.cancelAll()
            return result
        }?.get()
    }

    private final class Call<T: Sendable>: Sendable {
        private enum State {
            case running(CheckedContinuation<Result<T, any Error>?, Never>?)
            case ended(Result<T, any Error>?)
        }

        private let state = Mutex(State.running(nil))

        /// - Parameter result: nil when it is given up.
        /// - Returns: whether this was its first end.
        func end(with result: Result<T, any Error>?) -> Bool {
            let (isFirst, waiter) = state.withLock {
                state -> (Bool, CheckedContinuation<Result<T, any Error>?, Never>?) in
                guard case .running(let waiter) = state else { return (false, nil) }
                state = .ended(result)
                return (true, waiter)
            }
            waiter?.resume(returning: result)
            return isFirst
        }

        var result: Result<T, any Error>? {
            get async {
                await withCheckedContinuation { continuation in
                    let ended: Result<T, any Error>?? = state.withLock { state in
                        guard case .ended(let result) = state else {
                            state = .running(continuation)
                            return nil
                        }
                        return .some(result)
                    }
                    if let ended { continuation.resume(returning: ended) }
                }
            }
        }
    }
}
