import CDocentShims
import Glibc
import Synchronization

extension EventLoop {
    /// How many jobs are run before what they have written goes out, and descriptors are looked at again: a peer that has
    /// answered has nothing to do until then. A look costs less than most jobs.
    private static let jobsPerTurn = 4

    /// What a thread keeps from turn to turn while it leads.
    private struct Lead {
        let number: UInt64
        let executor: UnownedTaskExecutor
        /// The queue was empty at the last look, and the flushes were taken with it.
        var isDone = false
        /// Both keep their memory.
        var flushes: [any LoopFlushing] = []
        var ready: [(handler: any LoopEventHandler, readiness: Poller.Readiness)] = []
        /// How many descriptors and timers the last look found.
        var delivered = 0
        var guess = Guess()
    }

    /// Runs the loop on the calling thread, as leader number `number`, later perhaps as another one, to its end.
    func lead(_ number: UInt64) {
        var number = number
        while true {
            var lead = Lead(number: number, executor: asUnownedTaskExecutor())
            while turn(&lead) {}
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

    /// One turn: jobs, flushes, a look at the descriptors.
    ///
    /// - Returns: false when this thread leads no longer, or nobody does.
    private func turn(_ lead: inout Lead) -> Bool {
        lead.isDone = false
        for _ in 0..<Self.jobsPerTurn {
            guard let work = nextWork(&lead) else { break }
            switch work {
            case .job(let job): job.runSynchronously(on: lead.executor)
            case .closure(let body): body()
            }
        }
        guard endJobs(&lead) else { return false }
        for flushing in lead.flushes { flushing.flush() }
        lead.flushes.removeAll(keepingCapacity: true)
        // There is more to do: nobody is waited for.
        guard lead.isDone else { return poll(&lead, mayWait: false) }
        guard lead.guess.isWorthTrying else { return poll(&lead) }
        return switch readAhead(&lead) {
        case .right: lead.guess.isLookAroundDue ? poll(&lead, mayWait: false) : true
        case .wrong: poll(&lead)
        // Jobs that follow one another without end keep nobody from descriptors and timers.
        case .others: poll(&lead, mayWait: false)
        case .over: false
        }
    }

    /// What became of a guess.
    private enum ReadAhead {
        case right, wrong
        /// Somebody else has something to do.
        case others
        /// The loop is ending.
        case over
    }

    private func nextWork(_ lead: inout Lead) -> Work? {
        state.withLock { state in
            guard state.leader == lead.number else { return nil }
            guard let work = state.queue.popFirst() else {
                state.isInJob = false
                takeFlushes(&state, &lead)
                lead.isDone = true
                return nil
            }
            state.isInJob = true
            state.jobNumber &+= 1
            queued.store(state.queue.count, ordering: .relaxed)
            return work
        }
    }

    /// - Returns: false when the lead is lost.
    private func endJobs(_ lead: inout Lead) -> Bool {
        // Nobody takes the lead from one who runs no job.
        guard !lead.isDone else { return true }
        return state.withLock { state in
            guard state.leader == lead.number else { return false }
            state.isInJob = false
            takeFlushes(&state, &lead)
            return true
        }
    }

    private func takeFlushes(_ state: inout State, _ lead: inout Lead) {
        swap(&state.flushes, &lead.flushes)
        hasFlushes.store(false, ordering: .relaxed)
    }

    /// Looks at the descriptor that was busy last, without asking the poller. When two processes talk to each other in
    /// turns, the next message is usually there as soon as the other one had the processor for a moment; to yield it is
    /// then much cheaper than to be put to sleep and woken. Whoever else comes meanwhile does not wait for it.
    private func readAhead(_ lead: inout Lead) -> ReadAhead {
        guard let handler = lead.guess.handler else { return .wrong }
        let before = MonotonicTime.now()
        var now = before
        let (end, lookAround) = (before + Guess.patience, before + Guess.confidence)
        repeat {
            sched_yield()
            let last = now
            now = .now()
            turnTime.store(now.nanoseconds, ordering: .relaxed)
            let isRight = handler.readAhead()
            if isRight { lead.guess.wasRight(after: MonotonicTime.now().since(now)) }
            // Somebody else wants the processor: whoever sleeps is given it sooner than whoever yields.
            if now.since(last) > Guess.longTurn { lead.guess.hasToSleep() }
            if isRight { return .right }
            if isBusy || hasFlushes.load(ordering: .relaxed) { return .others }
            if now >= lookAround {
                lead.delivered = 0
                guard poll(&lead, mayWait: false) else { return .over }
                if lead.delivered > 0 { return .others }
            }
        } while now < end
        lead.guess.wasWrong(after: now.since(before))
        return .wrong
    }

    /// Waits for descriptors, timers and work.
    private func poll(_ lead: inout Lead, mayWait: Bool = true) -> Bool {
        let (timeout, isOver): (Int32, Bool) = state.withLock { state in
            let timeout = mayWait ? state.prepareToPoll() : 0
            if timeout == 0, state.isStopping, state.queue.isEmpty, state.flushes.isEmpty {
                state.hasStopped = true
                return (0, true)
            }
            return (timeout, false)
        }
        guard !isOver else {
            watchdogWork.signal()
            return false
        }
        turnTime.store(0, ordering: .relaxed)
        poller.poll(timeout: timeout) { events in
            self.deliver(events, &lead)
        }
        return true
    }

    private func deliver(_ events: UnsafeBufferPointer<docent_readiness>, _ lead: inout Lead) {
        let now = MonotonicTime.now()
        turnTime.store(now.nanoseconds, ordering: .relaxed)
        let mustUnpark = state.withLock { state in
            state.isPolling = false
            state.isWoken = false
            for event in events {
                guard let handler = state.handlers[event.key] else { continue }
                lead.ready.append((handler, Poller.Readiness(rawValue: event.flags)))
            }
            if let earliest = state.timers.earliest, earliest <= now {
                for body in state.timers.popDue(at: now) { state.queue.append(.closure(body)) }
                lead.delivered += 1
            }
            // A busy loop needs its watchdog.
            defer { state.isWatchdogParked = false }
            return state.isWatchdogParked
        }
        if mustUnpark { watchdogWork.signal() }
        lead.delivered += lead.ready.count
        for (handler, readiness) in lead.ready { handler.ready(readiness) }
        if lead.ready.count == 1, lead.ready[0].readiness == .readable {
            lead.guess.candidate(lead.ready[0].handler)
        } else if lead.ready.count > 1 {
            lead.guess.candidate(nil)
        }
        lead.ready.removeAll(keepingCapacity: true)
    }
}

/// Which descriptor will be ready next, and whether it pays to believe so.
private struct Guess {
    private(set) var handler: (any LoopEventHandler)?
    /// So many polls are to be left in peace.
    private var rest = 0
    private var penalty = 0
    private var streak = 0

    /// The others want to be looked at as well, and the timers.
    private static let longestStreak = 16
    /// For so long, in nanoseconds, nobody else is looked at.
    static let confidence: UInt64 = 15_000
    /// How long an answer is waited for awake, in nanoseconds: longer than it takes to wake the other side and to be
    /// answered, for else each of the two finds the other one asleep, every time.
    static let patience: UInt64 = 100_000
    private static let longestPenalty = 64
    /// Whoever gets the processor for so long is no conversation partner, but computes.
    static let longTurn = Duration.microseconds(200)

    mutating func candidate(_ candidate: (any LoopEventHandler)?) {
        guard handler !== candidate else { return }
        handler = candidate
        (rest, penalty, streak) = (0, 0, 0)
    }

    var isWorthTrying: Bool {
        mutating get {
            guard handler != nil else { return false }
            guard rest == 0 else {
                rest -= 1
                return false
            }
            return true
        }
    }

    /// Whether it was right for so long that the others have to be looked at.
    var isLookAroundDue: Bool {
        mutating get {
            guard streak >= Self.longestStreak else { return false }
            streak = 0
            return true
        }
    }

    mutating func wasRight(after work: Duration) {
        // What took long is no quick conversation: the others come first.
        streak = work > Self.longTurn ? Self.longestStreak : streak + 1
        penalty = 0
    }

    /// To yield takes too long just now.
    mutating func hasToSleep() { rest = 4 * Self.longestPenalty }

    mutating func wasWrong(after pause: Duration) {
        streak = 0
        penalty = pause > Self.longTurn ? 16 * Self.longestPenalty : min(max(penalty * 2, 1), Self.longestPenalty)
        rest = penalty
        if penalty > Self.longestPenalty { penalty = Self.longestPenalty }
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
