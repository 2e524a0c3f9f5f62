import CDocentShims
import Synchronization

/// A loop without threads: somebody else runs what it has to do, one piece after the other, in an order of his own.
extension EventLoop {
    /// Whether jobs or flushes wait.
    package var hasWork: Bool { state.withLock { !$0.queue.isEmpty || !$0.flushes.isEmpty } }

    /// When the first of its timers is due.
    package var nextTimer: MonotonicTime? { state.withLock { $0.timers.earliest } }

    /// Runs the next job, or the flushes when there is none.
    ///
    /// - Parameter flushing: the turn ends before the job.
    package func step(flushing: Bool) {
        let (work, flushes) = state.withLock { state -> (Work?, [any LoopFlushing]) in
            guard !state.queue.isEmpty, !flushing || state.flushes.isEmpty else {
                defer { state.flushes = [] }
                hasFlushes.store(false, ordering: .relaxed)
                return (nil, state.flushes)
            }
            let work = state.queue.popFirst()
            queued.store(state.queue.count, ordering: .relaxed)
            return (work, [])
        }
        switch work {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .closure(let body): body()
        case nil: for flushing in flushes { flushing.flush() }
        }
    }

    /// Makes jobs of the timers that are due, and tells of the descriptors that are ready.
    ///
    /// - Returns: whether there were any.
    package func look() -> Bool {
        let now = MonotonicTime.now()
        var isSome = state.withLock { state in
            let due = state.timers.popDue(at: now)
            for body in due { state.queue.append(.closure(body)) }
            return !due.isEmpty
        }
        var ready: [(handler: any LoopEventHandler, readiness: Poller.Readiness)] = []
        poller.poll(timeout: 0) { events in
            for event in events {
                guard let handler = state.withLock({ $0.handlers[event.key] }) else { continue }
                ready.append((handler, Poller.Readiness(rawValue: event.flags)))
            }
        }
        for (handler, readiness) in ready { handler.ready(readiness) }
        isSome = isSome || !ready.isEmpty
        return isSome
    }
}
