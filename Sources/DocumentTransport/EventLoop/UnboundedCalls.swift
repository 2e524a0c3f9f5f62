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
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// - Parameter executor: where it is counted how long who was cancelled still waits.
    package init(name: String, mostHanging: Int = 2, executor: (any TaskExecutor)? = nil) {
        self.name = name
        self.mostHanging = mostHanging
        self.executor = executor
    }

    /// Whether one is under way, or hangs.
    package var isBusy: Bool { state.withLock { $0.running > 0 } }

    /// Whether one is under way that was not given up.
    package var isAwaited: Bool { state.withLock { $0.running > $0.hanging } }

    /// Runs the body, and does not wait longer than that for it; nor when the task is cancelled.
    ///
    /// - Returns: nil when it was given up, and was left to end when it can, or not begun.
    package func run<T: Sendable>(
        within limit: Duration?, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T? {
        let call = Call<T>()
        guard begin(call, body, late: { _ in }) else { return nil }
        return try await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if let limit {
                    try? await Task.sleep(for: limit)
                } else {
                    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
                }
                self.giveUp(call)
            }
            let result = await call.result
            group.cancelAll()
            return result
        }?.get()
    }

    /// Runs the body for as long as it takes. When the task is cancelled it is waited for a while still, as most will end by
    /// then.
    ///
    /// - Parameters:
    ///   - patience: how long it is waited for when the task is cancelled.
    ///   - late: takes what the body returns after it was given up.
    ///   - body: is told whether it was given up by then.
    /// - Returns: nil when it was given up, and was left to end when it can, or not begun.
    package func run<T: Sendable>(
        afterCancellation patience: Duration, late: @escaping @Sendable (T) -> Void,
        _ body: @escaping @Sendable (_ isGivenUp: () -> Bool) throws -> T
    ) async throws -> T? {
        let call = Call<T>()
        guard begin(call, { try body { call.isOver } }, late: late) else { return nil }
        let result = await withTaskCancellationHandler {
            await call.result
        } onCancel: {
            Task(executorPreference: executor) {
                try? await Task.sleep(for: patience)
                self.giveUp(call)
            }
        }
        return try result?.get()
    }

    /// - Returns: whether it was begun.
    private func begin<T: Sendable>(
        _ call: Call<T>, _ body: @escaping @Sendable () throws -> T, late: @escaping @Sendable (T) -> Void
    ) -> Bool {
        let mayBegin = state.withLock { state in
            guard state.hanging < mostHanging else { return false }
            state.running += 1
            return true
        }
        guard mayBegin else { return false }
        let thread = LoopThread.start(name: name) {
            let result = Result(catching: body)
            let isInTime = self.state.withLock { state in
                state.running -= 1
                let isInTime = call.end(with: result)
                if !isInTime { state.hanging -= 1 }
                return isInTime
            }
            if !isInTime, case .success(let value) = result { late(value) }
        }
        guard let thread else {
            state.withLock { $0.running -= 1 }
            return false
        }
        thread.detach()
        return true
    }

    private func giveUp<T: Sendable>(_ call: Call<T>) {
        state.withLock { state in
            if call.end(with: nil) { state.hanging += 1 }
        }
    }

    private final class Call<T: Sendable>: Sendable {
        private enum State {
            case running(CheckedContinuation<Result<T, any Error>?, Never>?)
            case ended(Result<T, any Error>?)
        }

        private let state = Mutex(State.running(nil))

        var isOver: Bool {
            state.withLock { if case .ended = $0 { true } else { false } }
        }

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
