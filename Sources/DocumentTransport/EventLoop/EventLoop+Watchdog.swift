import CDocentShims
import Glibc
import Synchronization

extension EventLoop {
    private static let tick: UInt64 = 1_000_000
    /// How long a job runs before the loop is handed on: in general, and soon after another one was.
    private static let patience: UInt64 = 4_000_000
    private static let shortPatience: UInt64 = 1_000_000

    func watch() {
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
}
