internal import Synchronization

/// Calls that block, and of which nobody knows whether they ever return: what looks at a path that a dead network, or a
/// file system of somebody else's, keeps.
///
/// Each has a thread of its own, so that it takes none from others, and is given up when it takes too long. How many run at once
/// is bounded where that is said, see ``CallPlaces``: the others wait for that in the order in which they came. What was given
/// up and still hangs is bounded, too: more are not begun before one of them returns.
package final class UnboundedCalls: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var places: CallPlaces
        /// Told whether their calls may begin.
        var waiters: [UInt64: Waiter] = [:]
        var lastNumber: UInt64 = 0
        /// Somebody looks, while calls wait, whether others take long.
        var isWatched = false

        mutating func take(_ served: CallPlaces.Served) -> [(waiter: Waiter, mayBegin: Bool)] {
            var told: [(waiter: Waiter, mayBegin: Bool)] = []
            for (calls, mayBegin) in [(served.begun, true), (served.refused, false)] {
                for call in calls {
                    if let waiter = waiters.removeValue(forKey: call) { told.append((waiter, mayBegin)) }
                }
            }
            return told
        }
    }

    private let name: String
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - mostAtOnce: how many run at once, but for those that take long.
    ///   - mostLong: how many of those go on beside them.
    ///   - mostHanging: how many may hang that were given up.
    ///   - youth: after that time a call takes long.
    ///   - executor: where it is counted how long who was cancelled still waits.
    package init(
        name: String, mostAtOnce: Int = .max, mostLong: Int = 64, mostHanging: Int = 2,
        youth: Duration = .seconds(10), executor: (any TaskExecutor)? = nil
    ) {
        self.name = name
        self.executor = executor
        state = Mutex(
            State(
                places: CallPlaces(
                    mostAtOnce: mostAtOnce, mostLong: mostLong, mostHanging: mostHanging, youth: youth)))
    }

    /// Whether one is under way, or hangs.
    package var isBusy: Bool { state.withLock { $0.places.running > 0 } }

    /// Whether one is under way that was not given up.
    package var isAwaited: Bool { state.withLock { $0.places.awaited > 0 } }

    /// Runs the body, and does not wait longer than that for it; nor when the task is cancelled.
    ///
    /// - Parameter limit: counts from the moment when it begins.
    /// - Returns: nil when it was given up, and was left to end when it can, or not begun.
    package func run<T: Sendable>(
        within limit: Duration?, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T? {
        guard let number = await place() else { return nil }
        let call = Call<T>(number)
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
        guard let number = await place() else { return nil }
        let call = Call<T>(number)
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

    // MARK: Places

    /// Waits until one more may run.
    ///
    /// - Returns: the call's number; nil when too many hang, or the task is cancelled while it waits.
    private func place() async -> UInt64? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let mayBegin = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in ask(number, waiter) }
        } onCancel: {
            let waiter = state.withLock { state in
                state.places.leave(number) ? state.waiters.removeValue(forKey: number) : nil
            }
            waiter?.resume(returning: false)
        }
        return mayBegin ? number : nil
    }

    private func ask(_ number: UInt64, _ waiter: Waiter) {
        let (answer, mustWatch) = state.withLock { state -> (CallPlaces.Answer, Bool) in
            let answer = state.places.ask(number, at: .now())
            guard case .waits = answer else { return (answer, false) }
            // Cancelled before it waited, when it would not have been found.
            if Task.isCancelled, state.places.leave(number) { return (.refused, false) }
            state.waiters[number] = waiter
            let mustWatch = !state.isWatched
            state.isWatched = true
            return (answer, mustWatch)
        }
        switch answer {
        case .runs: waiter.resume(returning: true)
        case .refused: waiter.resume(returning: false)
        case .waits: if mustWatch { watch() }
        }
    }

    private func watch() {
        Task(executorPreference: executor) {
            while let next = self.look() { try? await Task.sleep(for: next.since(.now())) }
        }
    }

    private func look() -> MonotonicTime? {
        let now = MonotonicTime.now()
        let (told, next) = state.withLock { state in
            let (served, next) = state.places.look(at: now)
            if next == nil { state.isWatched = false }
            return (state.take(served), next)
        }
        for (waiter, mayBegin) in told { waiter.resume(returning: mayBegin) }
        return next
    }

    // MARK: Calls

    /// - Returns: whether it was begun.
    private func begin<T: Sendable>(
        _ call: Call<T>, _ body: @escaping @Sendable () throws -> T, late: @escaping @Sendable (T) -> Void
    ) -> Bool {
        let thread = LoopThread.start(name: name) {
            let result = Result(catching: body)
            let isInTime = self.end(call, with: result)
            if !isInTime, case .success(let value) = result { late(value) }
        }
        guard let thread else {
            _ = end(call, with: nil)
            return false
        }
        thread.detach()
        return true
    }

    /// - Returns: false when it was given up by then.
    private func end<T: Sendable>(_ call: Call<T>, with result: Result<T, any Error>?) -> Bool {
        let (isInTime, told) = state.withLock { state in
            let served = state.places.end(call.number, at: .now())
            return (call.end(with: result), state.take(served))
        }
        for (waiter, mayBegin) in told { waiter.resume(returning: mayBegin) }
        return isInTime
    }

    private func giveUp<T: Sendable>(_ call: Call<T>) {
        let told = state.withLock { state -> [(waiter: Waiter, mayBegin: Bool)] in
            guard call.end(with: nil) else { return [] }
            return state.take(state.places.giveUp(call.number, at: .now()))
        }
        for (waiter, mayBegin) in told { waiter.resume(returning: mayBegin) }
    }

    private final class Call<T: Sendable>: Sendable {
        private enum State {
            case running(CheckedContinuation<Result<T, any Error>?, Never>?)
            case ended(Result<T, any Error>?)
        }

        let number: UInt64
        private let state = Mutex(State.running(nil))

        init(_ number: UInt64) { self.number = number }

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
