package import DocumentModel
package import DocumentSync

/// Carries out what the planner of the hosts wants, with their recorder and pacing, so quickly that millions of runs are
/// possible: a state machine without I/O. Its shell performs the actions, in order, and reports. What hosts do around planner
/// and recorder has a simulator of its own, of whole hosts.
///
/// What is known changes by `record` alone, and is planned for anew each time; so whatever happens between two steps,
/// the death of the process included, is only another state of the trees.
package struct SimulatedEngine: Sendable {
    package typealias Planner = @Sendable (SyncTrees, SyncPlanner.Circumstances) -> SyncPlan

    package typealias Limits = SyncPacing.Limits

    package private(set) var trees: SyncTrees
    package private(set) var clock: HybridClock
    /// Why nothing is asked of the provider, until it says that this is resolved.
    package var obstacle: DocumentError.Code? { pacing.obstacle }
    package private(set) var question: DeletionQuestion?
    package private(set) var clashes: [ItemIdentifier: ItemIdentifier] = [:]

    private let makePlan: Planner
    private var pacing: SyncPacing
    private var circumstances = SyncPlanner.Circumstances()
    private var running: [SyncTicket: SyncOperation] = [:]
    /// Operations under way of whose items the provider has told meanwhile, be it nothing new.
    private var toldMeanwhile: Set<SyncTicket> = []
    private var lastTicket: UInt64 = 0
    private var wakeAt: Duration?
    /// How often something that was made has to be made again.
    private var remakes: [ItemIdentifier: Int] = [:]
    /// What new identifiers are made of; drawn anew for each event.
    private var entropy: UInt64 = 0

    /// - Parameter trees: as they were written down last.
    package init(
        trees: SyncTrees, device: UInt64, retry: RetryPolicy = RetryPolicy(), limits: Limits = Limits(),
        deletionGuard: DeletionGuard = DeletionGuard(), planner: @escaping Planner = { SyncPlanner.plan($0, $1) }
    ) {
        self.trees = trees
        pacing = SyncPacing(retry: retry, limits: limits)
        makePlan = planner
        circumstances.deletionGuard = deletionGuard
        clock = HybridClock(device: device)
        for sighting in trees.remote.values { if let node = sighting.node { clock.follow(node.stamp) } }
        for sighting in trees.local.values { if let node = sighting.node { clock.follow(node.stamp) } }
    }

    /// When contents that are written now are written.
    ///
    /// - Parameter wall: the machine's own time in microseconds.
    package mutating func stamp(wall: Int64) -> VersionStamp { clock.stamp(wall: wall) }

    /// Whether nothing runs, and nothing is to be tried again.
    package var isIdle: Bool { running.isEmpty && !pacing.isWaiting }

    /// What a ticket stands for, by the identifiers that things have now.
    package func operation(of ticket: SyncTicket) -> SyncOperation? { running[ticket] }

    package var operationsUnderWay: [SyncOperation] { running.sorted { $0.key < $1.key }.map(\.value) }

    // MARK: Events

    package mutating func handle(
        _ event: SyncEvent, at now: Duration, using random: inout some RandomNumberGenerator
    ) -> [SyncAction] {
        var actions: [SyncAction] = []
        entropy = random.next()
        switch event {
        case .learned(let changes): learn(changes, &actions)
        case .answered(let ticket, .overtaken(let changes)) where !changes.contains(where: isNews):
            // Whatever was in the way cannot be seen from here.
            failed(ticket, DocumentError(.busy, "Something is in the way."), now, &random, &actions)
        case .answered(let ticket, let answer): answered(ticket, answer, &actions)
        case .failed(let ticket, let error): failed(ticket, error, now, &random, &actions)
        case .resolved: pacing.resolved()
        case .wanted(let id):
            circumstances.unwanted.remove(id)
            circumstances.wanted.insert(id)
        case .unwanted(let id):
            circumstances.wanted.remove(id)
            circumstances.unwanted.insert(id)
        case .approved(let ids): circumstances.approved.formUnion(ids)
        case .declined(let question): decline(question, &actions)
        case .woken: wakeAt = nil
        }
        schedule(now, &actions)
        return actions
    }

    private mutating func learn(_ changes: [TreeChange], _ actions: inout [SyncAction]) {
        for case .remote(let id, _?) in changes {
            toldMeanwhile.formUnion(running.filter { $0.value.id == id }.keys)
        }
        let news = changes.filter(isNews)
        guard !news.isEmpty else { return }
        record(news, &actions)
    }

    private mutating func decline(_ question: DeletionQuestion, _ actions: inout [SyncAction]) {
        for id in question.atProvider.sorted() {
            // It may have come back, or gone there, too.
            guard case .gone = trees.local[id], trees.remote[id]?.node != nil else { continue }
            record(SyncRecorder.changes(of: .restore(id), nil, in: trees, fresh: fresh()), &actions)
        }
        for id in question.here.sorted() {
            guard case .gone = trees.remote[id], let here = trees.local[id]?.node else { continue }
            guard here.revision != nil else {
                circumstances.approved.insert(id)
                continue
            }
            record(SyncRecorder.changes(of: .revive(id), nil, in: trees, fresh: fresh()), &actions)
        }
    }

    private func isNews(_ change: TreeChange) -> Bool {
        switch change {
        case .remote(let id, let sighting): trees.remote[id] != sighting
        case .local(let id, let sighting): trees.local[id] != sighting
        case .synced(let id, let agreed): trees.synced[id] != agreed
        case .identified: true
        }
    }

    private mutating func record(_ changes: [TreeChange], _ actions: inout [SyncAction]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            trees.apply(change)
            switch change {
            case .remote(_, .present(let node)): clock.follow(node.stamp)
            case .identified(let old, let new): follow(old, new)
            default: break
            }
        }
        actions.append(.record(changes))
    }

    /// Somebody who waits for an item goes on waiting for it under its new identifier.
    private mutating func follow(_ old: ItemIdentifier, _ new: ItemIdentifier) {
        if circumstances.wanted.remove(old) != nil { circumstances.wanted.insert(new) }
        if circumstances.unwanted.remove(old) != nil { circumstances.unwanted.insert(new) }
        running = running.mapValues { $0.identifying(old, as: new) }
    }

    private mutating func answered(_ ticket: SyncTicket, _ answer: SyncAnswer, _ actions: inout [SyncAction]) {
        guard let operation = running.removeValue(forKey: ticket) else { return }
        pacing.succeeded(operation)
        let isOvertaken = toldMeanwhile.remove(ticket) != nil
        if case (.create(let id, _), .item(let made, _)) = (operation, answer), made != id, isSomethingElse(made) {
            // Made under this name once, and taken for the other since: it is made again.
            remakes[id, default: 0] += 1
            return
        }
        record(
            SyncRecorder.changes(of: operation, answer, in: trees, fresh: fresh(), toldMeanwhile: isOvertaken),
            &actions)
        if case .evict(let id, _, _) = operation { circumstances.unwanted.remove(id) }
        if case (.compare(let id, _, let revision), .compared(let theirs, .different)) = (operation, answer) {
            keepBoth(id, theirs, revision, &actions)
        }
    }

    /// Whether something was taken for an item, here, that is more than a placeholder of it.
    private func isSomethingElse(_ id: ItemIdentifier) -> Bool {
        switch trees.local[id] {
        case nil: false
        case .gone: true
        case .present(let node): node.revision != nil || node.kind == .folder
        }
    }

    /// The later contents stay the item's, by the stamps of both: whoever compares them, on whatever machine, says the
    /// same (VER-12). The others go on under a name of their own, in sight of everybody (VER-15).
    private mutating func keepBoth(
        _ id: ItemIdentifier, _ theirs: SyncTrees.Remote, _ revision: UInt64, _ actions: inout [SyncAction]
    ) {
        guard let here = trees.local[id]?.node, here.revision == revision else { return }
        let keepsOurs = SyncOperation.Divergence.keepsOurs(here.stamp, over: theirs.stamp)
        let loser = keepsOurs ? theirs.stamp : here.stamp
        // A name that it has only for a moment is none to be called after.
        let beside =
            here.isParked ? SyncPlace(parentID: here.place.parentID, name: theirs.place.name) : here.place
        guard let place = freePlace(beside: beside, loser) else { return }
        start(
            .keepBoth(
                id,
                .init(theirs: theirs, revision: revision, keepsOurs: keepsOurs, copyID: fresh(), copyPlace: place)),
            &actions)
    }

    private func freePlace(beside place: SyncPlace, _ stamp: VersionStamp) -> SyncPlace? {
        var taken: Set<NameSlot> = Set(running.values.compactMap { $0.takes?.slot })
        for sighting in trees.local.values { if let node = sighting.node { taken.insert(node.place.slot) } }
        for sighting in trees.remote.values { if let node = sighting.node { taken.insert(node.place.slot) } }
        for attempt in 1...1000 {
            guard let name = try? ConflictName.make(for: place.name, at: ConflictName.date(of: stamp), attempt: attempt)
            else { return nil }
            let free = SyncPlace(parentID: place.parentID, name: name)
            if !taken.contains(free.slot) { return free }
        }
        return nil
    }

    /// An identifier for what is made here, until the provider names it.
    private mutating func fresh() -> ItemIdentifier {
        while true {
            entropy &+= 1
            if let id = try? ItemIdentifier("here-" + String(entropy, radix: 36)), trees.local[id] == nil { return id }
        }
    }

    private mutating func failed(
        _ ticket: SyncTicket, _ error: DocumentError, _ now: Duration, _ random: inout some RandomNumberGenerator,
        _ actions: inout [SyncAction]
    ) {
        guard let operation = running.removeValue(forKey: ticket) else { return }
        toldMeanwhile.remove(ticket)
        let jitter = Double.random(in: 0...1, using: &random)
        guard case .refresh = pacing.failed(operation, error, at: now, jitter: jitter) else { return }
        // It was made under this name once, and is gone since: it may be made again.
        if case .create(let id, _) = operation, error.code == .noSuchItem { remakes[id, default: 0] += 1 }
        actions.append(.refresh)
    }

    // MARK: What is started

    private mutating func schedule(_ now: Duration, _ actions: inout [SyncAction]) {
        // What is done in the index alone is done at once, and may make more possible.
        for _ in 0..<1000 {
            let plan = makePlan(trees, current(now))
            clashes = plan.clashes
            if let question = plan.question, question != self.question { actions.append(.ask(question)) }
            question = plan.question
            pacing.keep(Set(plan.operations), at: now)
            let notes = plan.operations.filter { $0.side == .index }
            guard !notes.isEmpty else {
                begin(plan.operations, &actions)
                break
            }
            for note in notes { record(SyncRecorder.changes(of: note, nil, in: trees, fresh: fresh()), &actions) }
        }
        // What could go on but for something else is not waited for.
        if let next = pacing.nextRetry(after: now), wakeAt.map({ next < $0 }) ?? true {
            wakeAt = next
            actions.append(.wake(at: next))
        }
    }

    private func current(_ now: Duration) -> SyncPlanner.Circumstances {
        var circumstances = circumstances
        circumstances.underWay = operationsUnderWay
        circumstances.held = pacing.held(at: now)
        return circumstances
    }

    /// What somebody waits for comes first; then what others wait for.
    private mutating func begin(_ operations: [SyncOperation], _ actions: inout [SyncAction]) {
        var requests = running.values.count { $0.side == .provider }
        var steps = running.count - requests
        let ranked = operations.enumerated().sorted {
            (rank(of: $0.element), $0.offset) < (rank(of: $1.element), $1.offset)
        }
        for (_, operation) in ranked {
            if operation.side == .provider {
                guard obstacle == nil, requests < pacing.limits.requests else { continue }
                requests += 1
            } else {
                guard steps < pacing.limits.steps else { continue }
                steps += 1
            }
            start(operation, &actions)
        }
    }

    private func rank(of operation: SyncOperation) -> Int {
        SyncPacing.rank(of: operation, isWanted: circumstances.wanted.contains(operation.id))
    }

    private mutating func start(_ operation: SyncOperation, _ actions: inout [SyncAction]) {
        lastTicket += 1
        let ticket = SyncTicket(number: lastTicket)
        running[ticket] = operation
        actions.append(.start(ticket, operation, name: name(of: operation)))
    }

    /// The same for the same contents, after a restart too, and different on every machine.
    private func name(of operation: SyncOperation) -> String {
        switch operation {
        case .create(let id, let node): "\(clock.device)/\(id)/\(node.revision ?? 0)/\(remakes[id] ?? 0)"
        case .send(let id, let base, let revision):
            "\(clock.device)/\(id)/\(revision)/\(base.map { String($0, radix: 16) }.joined(separator: "."))"
        default: ""
        }
    }
}
