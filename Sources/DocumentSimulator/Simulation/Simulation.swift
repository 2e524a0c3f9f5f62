internal import DocumentModel
internal import DocumentSync

/// One run of a scenario: several machines, one provider, virtual time.
///
/// Everything is drawn from the scenario's seed, nothing depends on the order of a set or a dictionary, and the code that
/// decides is the shipped planner and engine.
final class Simulation {
    enum Event {
        case user(Int)
        case job(Int, incarnation: Int, SyncTicket, name: String)
        case request(Int, incarnation: Int, Purpose, SimulatedProvider.Call)
        case reply(Int, incarnation: Int, Purpose, SimulatedProvider.Reply)
        case timeout(Int, incarnation: Int, Purpose)
        case wake(Int, incarnation: Int)
        case poll(Int, incarnation: Int)
        case scan(Int, incarnation: Int)
        case yes(Int, incarnation: Int, Set<ItemIdentifier>)
        case no(Int, incarnation: Int, DeletionQuestion)
        case restart(Int)
        case resolved
        /// Two items at the provider exchange their places.
        case swap(ItemIdentifier, ItemIdentifier)
        /// Something that goes on at a server.
        case remote(() -> Void)
    }

    /// What an answer is awaited for.
    enum Purpose: Hashable {
        case operation(SyncTicket)
        case poll(Int)
    }

    let scenario: Scenario
    let mistake: PlantedMistake?
    var random: SeededRandom
    var provider: SimulatedProvider
    /// What answers in the provider's place, which is its likeness then.
    let remote: (any SimulatedRemote)?
    private var seenChanges = -1
    var machines: [SimulatedMachine]
    var ledger = Ledger()
    /// What people called things when they moved them.
    var namesOfMoves: Set<FoldedName> = []
    var queue = EventQueue<Event>()
    var now = 0
    var complaint: String?
    /// Changes when anything in a run does.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var eventCount = 0
    /// Hears of what happens, when somebody wants to know.
    let onStep: ((String) -> Void)?

    init(
        _ scenario: Scenario, mistake: PlantedMistake? = nil, remote: (any SimulatedRemote)? = nil,
        onStep: ((String) -> Void)? = nil
    ) {
        self.scenario = scenario
        self.remote = remote
        self.mistake = mistake
        self.onStep = onStep
        random = SeededRandom(seed: scenario.seed ^ 0x5EED)
        provider = SimulatedProvider(allowsClashes: scenario.allowsClashes)
        machines = (0..<scenario.machines).map { SimulatedMachine(number: $0, seed: scenario.seed) }
    }

    /// - Returns: what does not hold; nil when all does.
    func run() -> String? {
        if let remote {
            let clock = SimulatedClock(
                now: { [unowned self] in now }, wallSeconds: { [unowned self] in wall / 1_000_000 },
                isFaulty: { [unowned self] in isFaulty },
                after: { [unowned self] delay, body in queue.add(.remote(body), at: now + delay) })
            remote.begin(clock, faults: scenario.faults)
        }
        defer { remote?.end() }
        for index in scenario.steps.indices { queue.add(.user(index), at: scenario.steps[index].time) }
        if let outage = scenario.faults.outage { queue.add(.resolved, at: outage.upperBound) }
        for machine in machines.indices { start(machine) }
        while let (time, event) = queue.next(), complaint == nil {
            guard time < scenario.end else {
                queue.add(event, at: time)
                break
            }
            handle(event, at: time)
        }
        if complaint == nil { heal() }
        return complaint ?? provider.complaint
    }

    var isFaulty: Bool { now < scenario.end }

    func happens(_ once: KeyPath<Scenario.Faults, Int>) -> Bool {
        isFaulty && random.once(in: scenario.faults[keyPath: once])
    }

    func complain(_ text: @autoclosure () -> String) {
        if complaint == nil { complaint = "\(now) ms: \(text())" }
    }

    func isCurrent(_ machine: Int, _ incarnation: Int) -> Bool {
        machines[machine].engine != nil && machines[machine].incarnation == incarnation
    }

    private func note(_ number: Int) {
        trace = (trace ^ UInt64(bitPattern: Int64(number))) &* 0x100_0000_01B3
    }

    private func handle(_ event: Event, at time: Int) {
        now = time
        eventCount += 1
        if eventCount > (remote == nil ? 20_000 : 2_000_000) { complain("no end") }
        note(time)
        note(remote?.changeCount ?? provider.sequence)
        for machine in machines { note(machine.incarnation &+ Int(truncatingIfNeeded: machine.clockSeen)) }
        onStep?("\(time) ms: \(event)")
        switch event {
        case .user(let index): act(scenario.steps[index])
        case .job(let machine, let incarnation, let ticket, let name):
            if isCurrent(machine, incarnation) { carryOut(ticket, name, on: machine) }
        case .request(let machine, let incarnation, let purpose, let call):
            answer(call, for: purpose, machine, incarnation)
        case .reply(let machine, let incarnation, let purpose, let reply):
            let isLate = machines[machine].incarnation != incarnation
            if machines[machine].engine != nil, !isLate || mistake == .acceptsLateAnswers {
                take(reply, for: purpose, on: machine)
            }
        case .timeout(let machine, let incarnation, let purpose):
            if isCurrent(machine, incarnation) { timeOut(purpose, on: machine) }
        case .wake(let machine, let incarnation):
            if isCurrent(machine, incarnation) { step(.woken, on: machine) }
        case .poll(let machine, let incarnation):
            if isCurrent(machine, incarnation), machines[machine].pollDue == now { poll(machine) }
        case .scan(let machine, let incarnation):
            if isCurrent(machine, incarnation) { scan(machine) }
        case .yes(let machine, let incarnation, let ids):
            if isCurrent(machine, incarnation) {
                machines[machine].approved.formUnion(ids)
                step(.approved(ids), on: machine)
            }
        case .no(let machine, let incarnation, let question):
            if isCurrent(machine, incarnation) { decline(question, on: machine) }
        case .restart(let machine): start(machine)
        case .swap(let one, let other): if isFaulty { swap(one, other) }
        case .remote(let body): body()
        case .resolved:
            if mistake != .ignoresSignal { for machine in machines.indices { step(.resolved, on: machine) } }
        }
        lookAtServer()
    }

    private func lookAtServer() {
        guard let remote, remote.changeCount != seenChanges else { return }
        seenChanges = remote.changeCount
        provider = remote.provider
    }

    // MARK: Machines

    static let rule = DeletionGuard(minimum: 3, percent: 50)

    func start(_ number: Int) {
        guard machines[number].engine == nil else { return }
        machines[number].incarnation += 1
        remote?.start(number)
        machines[number].trustsItsClock = mistake == .wallClockWinner
        recover(number)
        let device = mistake == .nameWithoutDevice ? 1 : machines[number].device
        machines[number].engine = SimulatedEngine(
            trees: machines[number].index.trees, device: device,
            retry: RetryPolicy(first: .milliseconds(200), longest: .seconds(4)), deletionGuard: Self.rule,
            planner: MistakenPlanner.planner(mistake))
        if mistake == .noScanAtStart { step(.learned([]), on: number) } else { scan(number) }
        schedulePoll(number, at: now + 10 + random.below(50))
    }

    func crash(_ number: Int) {
        guard machines[number].engine != nil else { return }
        onStep?("  machine \(number) crashes")
        machines[number].engine = nil
        remote?.kill(number)
        machines[number].staged = [:]
        machines[number].poll = 0
        machines[number].pollDue = 0
        machines[number].approved = []
        machines[number].disk.crash(&random)
        queue.add(.restart(number), at: now + 100 + random.below(3000))
    }

    /// At every action.
    func crashes(_ number: Int) -> Bool {
        guard happens(\.crash) else { return false }
        crash(number)
        return true
    }

    /// When the disk has a step behind it that the index does not know of yet.
    func crashesBetween(_ number: Int) -> Bool {
        guard happens(\.crash) || happens(\.crashBetween) else { return false }
        crash(number)
        return true
    }

    var wall: Int64 { 1_700_000_000_000_000 + Int64(now) * 1000 }

    func scan(_ number: Int) {
        let changes = machines[number].scan(at: wall, ignoringWrites: mistake == .scanIgnoresWrites)
        step(.learned(changes), on: number)
    }

    /// Gives the engine an event and does what it says, unless the machine crashes over it.
    func step(_ event: SyncEvent, on number: Int) {
        guard machines[number].engine != nil else { return }
        // Taken out, so that its trees are not copied.
        guard var engine = machines[number].engine.take() else { return }
        let actions = engine.handle(event, at: .milliseconds(now), using: &machines[number].random)
        machines[number].engine = engine
        let incarnation = machines[number].incarnation
        for action in actions {
            if crashes(number) { return }
            switch action {
            case .record(let changes):
                onStep?("  \(number) records \(changes)")
                machines[number].record(changes)
            case .start(let ticket, let operation, let name):
                check(operation, on: number)
                queue.add(.job(number, incarnation: incarnation, ticket, name: name), at: now + 1 + random.below(20))
            case .wake(let time):
                let milliseconds = Int(time / .milliseconds(1)) + 1
                queue.add(.wake(number, incarnation: incarnation), at: max(milliseconds, now))
            case .refresh: schedulePoll(number, at: now + 20)
            case .ask(let question):
                let time = now + 500 + random.below(3000)
                if random.once(in: 4) {
                    queue.add(.no(number, incarnation: incarnation, question), at: time)
                } else {
                    queue.add(.yes(number, incarnation: incarnation, question.all), at: time)
                }
            }
        }
    }

    /// Somebody says no: of what is gone there only names may go from here.
    private func decline(_ question: DeletionQuestion, on number: Int) {
        let names = question.here.filter { machines[number].engine?.trees.local[$0]?.node?.revision == nil }
        machines[number].approved.formUnion(names)
        step(.declined(question), on: number)
    }

    /// What no engine may start.
    private func check(_ operation: SyncOperation, on number: Int) {
        onStep?("  \(number) starts \(operation)")
        guard let engine = machines[number].engine else { return }
        if engine.operationsUnderWay.count(where: { $0.id == operation.id }) > 1 {
            complain("two operations about \(operation.id) at once on machine \(number)")
        }
        switch operation {
        case .delete(let id, _), .remove(let id, _):
            var circumstances = SyncPlanner.Circumstances()
            circumstances.deletionGuard = Self.rule
            circumstances.approved = machines[number].approved
            if SyncPlanner.plan(engine.trees, circumstances).question?.all.contains(id) == true {
                complain("machine \(number) deletes \(id) without a yes")
            }
        case .keepBoth(let id, let divergence):
            guard let here = engine.trees.local[id]?.node,
                let theirs = provider.stamp(of: id, version: divergence.theirs.version)
            else { return }
            if divergence.keepsOurs != (theirs < here.stamp) { complain("the wrong contents of \(id) win") }
        default: break
        }
    }

    // MARK: The end

    /// Faults and people stop; everything is asked, answered and looked at until nothing changes any more.
    private func heal() {
        now = max(now, scenario.end)
        for machine in machines.indices { start(machine) }
        settle()
        if complaint == nil { judge() }
        guard complaint == nil else { return }
        // INV-4: all contents can be had.
        for machine in machines.indices {
            for id in provider.identifiers where provider.items[id]?.contents != nil { step(.wanted(id), on: machine) }
        }
        settle()
        if complaint == nil { judge(expectingContents: true) }
    }

    private func settle() {
        var last = 0
        for round in 0..<120 {
            if mistake != .ignoresSignal { for machine in machines.indices { step(.resolved, on: machine) } }
            for machine in machines.indices {
                if let question = machines[machine].engine?.question {
                    machines[machine].approved.formUnion(question.all)
                    step(.approved(question.all), on: machine)
                }
                if mistake != .noScanAtStart { scan(machine) }
                schedulePoll(machine, at: now + 1)
            }
            let until = now + 10_000
            while let (time, event) = queue.next() {
                if time > until {
                    queue.add(event, at: time)
                    break
                }
                handle(event, at: time)
                if complaint != nil { return }
            }
            now = until
            let changes = remote?.changeCount ?? provider.sequence
            let state = changes &+ machines.reduce(0) { $0 &* 31 &+ $1.clockSeen &+ $1.index.anchor }
            let isQuiet = machines.allSatisfy { $0.engine?.isIdle == true && $0.engine?.question == nil }
            if isQuiet, round > 0, state == last { return }
            last = state
        }
        complain(
            "no quiet: \(machines.compactMap { $0.engine.map { "\($0.operationsUnderWay) \($0.clashes)" } })")
    }
}

extension SimulatedMachine {
    /// A number that changes when what is known here does.
    var clockSeen: Int {
        index.trees.local.count &* 7 &+ index.trees.remote.count &* 3 &+ index.trees.synced.count &+ index.anchor
            &+ disk.writes &* 13
    }
}
