import CHostSimulation
import DocumentSimulator
import DocumentTransport
import Glibc

/// Whose turn it is: drawn from the seed, one job at a time.
extension HostSimulation {
    private enum Turn {
        case loop(EventLoop, MachineLife)
        case work(MachineLife)
        case job(Int)
    }

    /// More than this is no run that comes to an end.
    private static let mostSteps = 4_000_000

    func enqueue(_ job: UnsafeMutableRawPointer, _ delay: UInt64) {
        lastNumber += 1
        jobs.append((time + delay, lastNumber, job, running))
    }

    /// - Parameter isOver: asked after each pause; ends it early.
    func run(until end: UInt64, isOver: () -> Bool = { false }) {
        while complaint == nil {
            if step() { continue }
            if look() { continue }
            if isOver() { return }
            let next = nextMoment()
            guard next <= end else { return setTime(max(end, time)) }
            setTime(max(next, time))
            while let event = events.last, event.due <= time {
                events.removeLast()
                event.body()
            }
        }
    }

    private func setTime(_ moment: UInt64) {
        time = moment
        simulation_set_time(moment)
    }

    private func nextMoment() -> UInt64 {
        var next = events.last?.due ?? .max
        for life in living {
            for loop in [life.loop, life.providerLoop] { next = min(next, loop.nextTimer?.nanoseconds ?? .max) }
        }
        for job in jobs where job.life?.isOver != true { next = min(next, job.due) }
        return next
    }

    var living: [MachineLife] { lives.compactMap { $0 } }

    private func look() -> Bool {
        var isSome = false
        for life in living {
            use(life)
            for loop in [life.loop, life.providerLoop] where loop.look() { isSome = true }
            running = nil
        }
        settleDeaths()
        return isSome
    }

    private func use(_ life: MachineLife?) {
        running = life
        if let life { simulation_set_date(dates[life.machine]) }
    }

    /// Runs one job, if there is one.
    private func step() -> Bool {
        var turns: [Turn] = []
        for life in living {
            if life.loop.hasWork { turns.append(.loop(life.loop, life)) }
            if life.providerLoop.hasWork { turns.append(.loop(life.providerLoop, life)) }
            if life.work.count > 0 { turns.append(.work(life)) }
        }
        jobs.removeAll { $0.life?.isOver == true }
        for index in jobs.indices where jobs[index].due <= time { turns.append(.job(index)) }
        guard !turns.isEmpty else { return false }
        steps += 1
        guard steps < Self.mostSteps else {
            complain("no end")
            return false
        }
        let index = random.below(turns.count)
        mix(UInt64(index))
        // What computes takes time, too.
        setTime(time + UInt64(1_000 + random.below(20_000)))
        switch turns[index] {
        case .loop(let loop, let life):
            use(life)
            loop.step(flushing: random.once(in: 4))
        case .work(let life):
            use(life)
            life.work.run(at: random.below(min(life.work.count, 8)))
        case .job(let index):
            let job = jobs.remove(at: index)
            use(job.life)
            simulation_run(job.job)
        }
        running = nil
        settleDeaths()
        if random.once(in: 16) { _ = look() }
        return true
    }
}
