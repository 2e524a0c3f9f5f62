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
    private let poller: Poller
    private let watchdogWork = Semaphore()
    private let spareWork = Semaphore()

    /// How many jobs are run before descriptors are looked at again.
    private static let jobsPerTurn = 512
    /// With so many threads blocked, further work waits.
    private static let maximumThreads = 256
    private static let tick: UInt64 = 1_000_000
    /// How long a job runs before the loop is handed on: in general, and soon after another one was.
    private static let patience: UInt64 = 4_000_000
    private static let shortPatience: UInt64 = 1_000_000

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
            return (true, state.needsWaking())
        }
        if mustWake { poller.wake() }
        return isAdded
    }

    /// Has `flush` called at the end of this turn.
    func flushLater(_ flushing: any LoopFlushing) {
        let mustWake = state.withLock { state in
            state.flushes.append(flushing)
            return state.needsWaking()
        }
        if mustWake { poller.wake() }
    }

    // MARK: Timers

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

    /// Suspends the calling task, not cancellable.
    package func sleep(until time: MonotonicTime) async {
        await withUnsafeContinuation { continuation in
            _ = schedule(at: time) { continuation.resume() }
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

    // MARK: The turns

    private func lead(_ number: UInt64) {
        var number = number
        let executor = asUnownedTaskExecutor()
        while true {
            turns(number, executor)
            // The lead is lost, or the loop is ending.
            let isOver = state.withLock { state in
                if state.isStopping { return true }
                state.idleSpares += 1
                return false
            }
            if isOver { return }
            spareWork.wait()
            let next: UInt64? = state.withLock { state in
                state.idleSpares -= 1
                return state.leads.popLast()
            }
            guard let next else { return }
            number = next
        }
    }

    private func turns(_ number: UInt64, _ executor: UnownedTaskExecutor) {
        while true {
            for _ in 0..<Self.jobsPerTurn {
                guard let work = nextWork(number) else { break }
                switch work {
                case .job(let job): job.runSynchronously(on: executor)
                case .closure(let body): body()
                }
            }
            guard endTurn(number) else { return }
        }
    }

    private func nextWork(_ number: UInt64) -> Work? {
        state.withLock { state in
            guard state.leader == number else { return nil }
            guard let work = state.queue.popFirst() else {
                state.isInJob = false
                return nil
            }
            state.isInJob = true
            state.jobNumber &+= 1
            return work
        }
    }

    /// Flushes, polls and delivers what came.
    ///
    /// - Returns: false when this thread leads no longer.
    private func endTurn(_ number: UInt64) -> Bool {
        let flushes: [any LoopFlushing]? = state.withLock { state in
            guard state.leader == number else { return nil }
            state.isInJob = false
            guard !state.flushes.isEmpty else { return [] }
            defer { state.flushes = [] }
            return state.flushes
        }
        guard let flushes else { return false }
        for flushing in flushes { flushing.flush() }

        let (timeout, mustUnpark, isOver): (Int32, Bool, Bool) = state.withLock { state in
            let timeout = state.prepareToPoll()
            if timeout == 0, state.isStopping, state.queue.isEmpty, state.flushes.isEmpty {
                state.hasStopped = true
                return (0, true, true)
            }
            // A busy loop needs its watchdog.
            let mustUnpark = timeout == 0 && state.isWatchdogParked
            if mustUnpark { state.isWatchdogParked = false }
            return (timeout, mustUnpark, false)
        }
        if mustUnpark { watchdogWork.signal() }
        guard !isOver else { return false }
        poller.poll(timeout: timeout) { events in
            self.deliver(events)
        }
        return true
    }

    private func deliver(_ events: UnsafeBufferPointer<docent_readiness>) {
        var mustUnpark = false
        var ready: [(any LoopEventHandler, Poller.Readiness)] = []
        state.withLock { state in
            state.isPolling = false
            state.isWoken = false
            for event in events {
                guard let handler = state.handlers[event.key] else { continue }
                ready.append((handler, Poller.Readiness(rawValue: event.flags)))
            }
            if !state.timers.isEmpty {
                for body in state.timers.popDue(at: .now()) { state.queue.append(.closure(body)) }
            }
            mustUnpark = state.isWatchdogParked
            if mustUnpark { state.isWatchdogParked = false }
        }
        if mustUnpark { watchdogWork.signal() }
        for (handler, readiness) in ready { handler.ready(readiness) }
    }

    // MARK: The watchdog

    private func watch() {
        var seenJob: UInt64 = 0
        var seenSince: UInt64 = 0
        var idleTicks = 0
        var lastHandOver: UInt64 = 0
        while true {
            var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.tick))
            nanosleep(&pause, nil)
            let now = MonotonicTime.now().nanoseconds
            enum Step { case go, park, handOver, end }
            let step: Step = state.withLock { state in
                if state.hasStopped { return .end }
                guard state.isInJob else {
                    idleTicks = state.isPolling ? idleTicks + 1 : 0
                    seenJob = state.jobNumber
                    seenSince = now
                    guard idleTicks > 50, !state.isStopping else { return .go }
                    state.isWatchdogParked = true
                    return .park
                }
                idleTicks = 0
                guard state.jobNumber == seenJob else {
                    seenJob = state.jobNumber
                    seenSince = now
                    return .go
                }
                let wasRecent = lastHandOver != 0 && now - lastHandOver < 1_000_000_000
                guard now - seenSince >= (wasRecent ? Self.shortPatience : Self.patience) else { return .go }
                return .handOver
            }
            switch step {
            case .go: continue
            case .end: return
            case .park:
                watchdogWork.wait()
                idleTicks = 0
            case .handOver:
                if handOver(from: seenJob) { lastHandOver = now }
            }
        }
    }

    /// Gives the lead to a spare thread, if the same job still runs.
    private func handOver(from job: UInt64) -> Bool {
        let (isTaken, newLeader): (Bool, UInt64?) = state.withLock { state in
            guard state.isInJob, state.jobNumber == job else { return (false, nil) }
            guard state.idleSpares > state.leads.count || state.threads.count < Self.maximumThreads else {
                return (false, nil)
            }
            state.leader += 1
            state.isInJob = false
            if state.idleSpares > state.leads.count {
                state.leads.append(state.leader)
                return (true, nil)
            }
            return (true, state.leader)
        }
        guard isTaken else { return false }
        guard let newLeader else {
            spareWork.signal()
            return true
        }
        if let thread = LoopThread.start(name: name, { self.lead(newLeader) }) {
            state.withLock { $0.threads.append(thread) }
        } else {
            // No thread to be had: the first one that returns leads on.
            state.withLock { $0.leads.append(newLeader) }
            spareWork.signal()
        }
        return true
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
            if threads.isEmpty, !isFirstRound { return }
            isFirstRound = false
            // Every thread that waits as a spare has to see that it is over.
            for _ in 0..<Self.maximumThreads { spareWork.signal() }
            for thread in threads where !thread.isCurrent { thread.join() }
        }
    }
}

extension EventLoop.State {
    /// Whether the leader waits and nobody has woken it yet; who asks must wake it.
    mutating func needsWaking() -> Bool {
        guard isPolling, !isWoken else { return false }
        isWoken = true
        return true
    }

    /// How long to poll, in milliseconds, -1 for ever; from here on others have to wake the leader unless it is 0.
    mutating func prepareToPoll() -> Int32 {
        guard queue.isEmpty, flushes.isEmpty, !isStopping else { return 0 }
        isPolling = true
        isWoken = false
        guard let earliest = timers.earliest else { return -1 }
        let wait = earliest.since(.now())
        return wait == .zero ? 0 : Int32(clamping: min(wait.wholeMilliseconds, UInt32(Int32.max)))
    }
}

/// What is told when a descriptor is ready. Called on the thread that leads; must not block.
protocol LoopEventHandler: AnyObject, Sendable {
    func ready(_ readiness: Poller.Readiness)
}

/// What has something to do at the end of a turn. Called on the thread that leads; must not block.
protocol LoopFlushing: AnyObject, Sendable {
    func flush()
}
