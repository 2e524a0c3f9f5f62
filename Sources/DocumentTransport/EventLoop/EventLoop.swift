import CDocentShims
import Glibc
import Synchronization
import SystemPackage

/// One dedicated thread that polls descriptors and runs tasks: a `TaskExecutor` on top of epoll.
///
/// A turn of the loop is: jobs, flushes, timers, poll. Jobs may block: when one runs for more than a few milliseconds,
/// a watchdog hands the loop to a spare thread, and the blocked one becomes a spare when it returns. So at any time
/// one thread *leads* (polls and takes jobs), but jobs of one loop may run side by side.
///
/// Runs until ``shutdown()``.
package final class EventLoop: TaskExecutor {
    package let name: String

    let state = Mutex(State())
    let poller: Poller
    let watchdogWork = Semaphore()
    let spareWork = Semaphore()
    /// When this turn began; 0 while the loop waits.
    let turnTime = Atomic<UInt64>(0)

    /// How much work waits.
    let queued = Atomic<Int>(0)
    /// Whether somebody wants to be called at the end of the turn.
    let hasFlushes = Atomic<Bool>(false)

    /// With so many threads blocked, further work waits.
    static let maximumThreads = 256

    enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    struct State {
        var queue = Deque<Work>()
        var timers = TimerQueue()
        /// Asked to be called once at the end of the turn.
        var flushes: [any LoopFlushing] = []
        var handlers: [UInt64: any LoopEventHandler] = [:]
        var nextHandler: UInt64 = 1
        /// Whose turn it is: a thread that leads knows its number, and has lost the lead when this is another one.
        var leader: UInt64 = 1
        /// The leader waits in the poller, and has to be woken.
        var isPolling = false
        var isWoken = false
        /// The leader runs a job, the `jobNumber`th.
        var isInJob = false
        var jobNumber: UInt64 = 0
        var isWatchdogParked = false
        var isStopping = false
        var hasStopped = false
        var threads: [LoopThread] = []
        var idleSpares = 0
        /// Spares that were signalled and have not taken the lead yet.
        var leads: [UInt64] = []
    }

    /// Starts the threads.
    package init(name: String) {
        self.name = name
        poller = Poller()
        let leader = LoopThread.start(name: name) { self.lead(1) }
        let watchdog = LoopThread.start(name: name) { self.watch() }
        state.withLock { $0.threads += [leader, watchdog].compactMap { $0 } }
    }

    /// Starts no threads: nothing happens but what ``step(flushing:)`` and ``look()`` do. For simulations.
    package init(steppedAs name: String) {
        self.name = name
        poller = Poller()
    }

    // MARK: Work

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard add(.job(job)) else {
            // Too late for us; the task has to end all the same.
            globalConcurrentExecutor.enqueue(ExecutorJob(job))
            return
        }
    }

    /// Runs a closure as a job. After the shutdown it is run at once.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        guard add(.closure(body)) else {
            body()
            return
        }
    }

    private func add(_ work: Work) -> Bool {
        let (isAdded, mustWake) = state.withLock { state in
            guard !state.hasStopped else { return (false, false) }
            state.queue.append(work)
            queued.store(state.queue.count, ordering: .relaxed)
            return (true, state.needsWaking())
        }
        if mustWake { poller.wake() }
        return isAdded
    }

    /// Has `flush` called at the end of this turn.
    package func flushLater(_ flushing: any LoopFlushing) {
        let mustWake = state.withLock { state in
            state.flushes.append(flushing)
            hasFlushes.store(true, ordering: .relaxed)
            return state.needsWaking()
        }
        if mustWake { poller.wake() }
    }

    /// Whether other jobs will run before this turn ends: then what they write may go out together.
    var isBusy: Bool { queued.load(ordering: .relaxed) > 0 }

    // MARK: Time

    /// The time, as exact as a turn is short: the clock is read once a turn.
    package var time: MonotonicTime {
        let time = turnTime.load(ordering: .relaxed)
        return time == 0 ? .now() : MonotonicTime(nanoseconds: time)
    }

    /// Runs a closure as a job at a time.
    func schedule(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> TimerQueue.Key {
        let (key, mustWake) = state.withLock { state in
            let earliest = state.timers.earliest
            let key = state.timers.insert(at: time, body)
            let isFirst = earliest.map { time < $0 } ?? true
            return (key, isFirst && state.needsWaking())
        }
        if mustWake { poller.wake() }
        return key
    }

    func cancel(_ key: TimerQueue.Key) {
        state.withLock { $0.timers.remove(key) }
    }

    /// Runs a closure as a job at a time; it cannot be taken back. When the loop has ended by then it is run all the same: somebody
    /// may wait for it.
    package func wake(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        _ = scheduleInAnyCase(at: time, body)
    }

    /// The same.
    ///
    /// - Returns: what to take it back by for as long as the loop has not ended; nil when it has.
    func scheduleInAnyCase(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) -> TimerQueue.Key? {
        let added: (key: TimerQueue.Key, mustWake: Bool)? = state.withLock { state in
            guard !state.hasStopped else { return nil }
            let isFirst = state.timers.earliest.map { time < $0 } ?? true
            let key = state.timers.insert(at: time, outlivesLoop: true, body)
            return (key: key, mustWake: isFirst && state.needsWaking())
        }
        guard let added else {
            Self.wakeElsewhere(at: time, body)
            return nil
        }
        if added.mustWake { poller.wake() }
        return added.key
    }

    private static func wakeElsewhere(at time: MonotonicTime, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: globalConcurrentExecutor) {
            try? await Task.sleep(for: time.since(.now()))
            body()
        }
    }

    /// Suspends the calling task, not cancellable.
    package func sleep(until time: MonotonicTime) async {
        await withUnsafeContinuation { continuation in
            wake(at: time) { continuation.resume() }
        }
    }

    // MARK: Descriptors

    /// Watches a descriptor until ``unregister(_:)``.
    ///
    /// - Returns: what to name it by, or the error number of a descriptor that cannot be watched.
    func register(_ descriptor: Int32, _ interest: Poller.Interest, _ handler: any LoopEventHandler) -> Result<
        UInt64, Errno
    > {
        let key = state.withLock { state in
            let key = state.nextHandler
            state.nextHandler += 1
            state.handlers[key] = handler
            return key
        }
        if let error = poller.add(descriptor, interest, key) {
            state.withLock { _ = $0.handlers.removeValue(forKey: key) }
            return .failure(error)
        }
        return .success(key)
    }

    func setInterest(_ interest: Poller.Interest, of descriptor: Int32, _ key: UInt64) {
        poller.change(descriptor, interest, key)
    }

    /// To be called before the descriptor is closed.
    func unregister(_ descriptor: Int32, _ key: UInt64) {
        poller.remove(descriptor)
        state.withLock { _ = $0.handlers.removeValue(forKey: key) }
    }

    // MARK: The end

    /// Ends and joins all threads, once there is no work left. Not to be called from a job of the loop itself.
    package func shutdown() {
        state.withLock { $0.isStopping = true }
        poller.wake()
        watchdogWork.signal()
        var isFirstRound = true
        while true {
            let threads = state.withLock { state in
                defer { state.threads = [] }
                return state.threads
            }
            if threads.isEmpty, !isFirstRound { break }
            isFirstRound = false
            // Every thread that waits as a spare has to see that it is over.
            for _ in 0..<Self.maximumThreads { spareWork.signal() }
            for thread in threads where !thread.isCurrent { thread.join() }
        }
        for (time, body) in state.withLock({ $0.timers.takeOutliving() }) { Self.wakeElsewhere(at: time, body) }
    }

    /// The same, for a task that may be one of the loop's own: it goes on elsewhere.
    package func end() async {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            let thread = BlockingPool(threads: 1, name: "docent-end")
            try? await thread.run { self.shutdown() }
            thread.shutdown()
        }
    }
}

/// What is told when a descriptor is ready. Called on the thread that leads; must not block.
protocol LoopEventHandler: AnyObject, Sendable {
    func ready(_ readiness: Poller.Readiness)

    /// Looks whether there is something to read, though nobody has said so.
    ///
    /// - Returns: whether there was.
    func readAhead() -> Bool
}

extension LoopEventHandler {
    func readAhead() -> Bool { false }
}

/// What has something to do at the end of a turn. Called on the thread that leads; must not block.
package protocol LoopFlushing: AnyObject, Sendable {
    func flush()
}
