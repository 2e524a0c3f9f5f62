internal import DocumentModel
internal import DocumentSync
internal import Synchronization

/// What must hold of plans, whatever the trees: each case is carried out until nothing is left to do, in an order drawn
/// by its seed.
package enum PlannerProperties {
    /// Most cases end after a handful of answers.
    static let patience = 400

    /// - Returns: what does not hold; nil when all does.
    package static func complaint(
        seed: UInt64, onStep: ((String) -> Void)? = nil,
        planner: @escaping SimulatedEngine.Planner = { SyncPlanner.plan($0, $1) }
    ) -> String? {
        var run = Run(seed: seed, planner: planner, onStep: onStep)
        return run.complaint()
    }

    private struct Run {
        let start: SyncTrees
        let onStep: ((String) -> Void)?
        let log = PlanLog()
        var world: IdealWorld
        var engine: SimulatedEngine
        var random: SeededRandom
        var pending: [(SyncTicket, SyncOperation)] = []
        var question: DeletionQuestion?
        let isGuarded: Bool

        init(seed: UInt64, planner: @escaping SimulatedEngine.Planner, onStep: ((String) -> Void)?) {
            let made = PlannerCase(seed: seed)
            start = made.trees
            self.onStep = onStep
            world = IdealWorld(start)
            random = SeededRandom(seed: ~seed)
            isGuarded = seed % 8 == 0
            let log = log
            engine = SimulatedEngine(
                trees: start, device: 1, retry: RetryPolicy(first: .seconds(1), longest: .seconds(2)),
                deletionGuard: isGuarded ? DeletionGuard(minimum: 2, percent: 1) : DeletionGuard()
            ) { trees, circumstances in
                let plan = planner(trees, circumstances)
                log.check(plan, circumstances)
                return plan
            }
        }

        mutating func complaint() -> String? {
            if let problem = isDeterministic() { return problem }
            var now = Duration.zero
            step(.learned([]), now)
            for _ in 0..<patience {
                if let problem = log.problem { return problem }
                if let (ticket, _) = takeAny(), let operation = engine.operation(of: ticket) {
                    onStep?("\(operation)")
                    do throws(DocumentError) {
                        let answer = try world.carryOut(operation)
                        step(.answered(ticket, answer), now)
                    } catch {
                        onStep?("  refused: \(error.message)")
                        // Planned against what is known, nothing may be refused here, where nobody else acts.
                        guard operation.side == .provider else { return "\(operation) was refused: \(error.message)" }
                        step(.failed(ticket, error), now)
                    }
                } else if let asked = question {
                    if asked.all.contains(where: { isDeleted($0, asked) }) { return "deleted before a yes" }
                    question = nil
                    step(.approved(asked.all), now)
                } else if !engine.isIdle {
                    now += .seconds(3)
                    step(.woken, now)
                } else {
                    return judge()
                }
            }
            return "no end after \(patience) steps; under way: \(engine.operationsUnderWay)"
        }

        private func isDeleted(_ id: ItemIdentifier, _ asked: DeletionQuestion) -> Bool {
            asked.atProvider.contains(id) ? world.there[id] == nil : world.here[id] == nil
        }

        private mutating func takeAny() -> (SyncTicket, SyncOperation)? {
            pending.isEmpty ? nil : pending.remove(at: random.below(pending.count))
        }

        private mutating func step(_ event: SyncEvent, _ now: Duration) {
            for action in engine.handle(event, at: now, using: &random) {
                switch action {
                case .record(let changes):
                    onStep?("  \(changes)")
                    world.follow(changes)
                case .start(let ticket, let operation, _): pending.append((ticket, operation))
                case .ask(let question): self.question = question
                case .wake, .refresh: break
                }
            }
        }

        /// The same trees, put together in another order, give the same plan.
        private func isDeterministic() -> String? {
            var other = SyncTrees(root: start.root)
            for id in start.identifiers.reversed() {
                other.remote[id] = start.remote[id]
                other.local[id] = start.local[id]
                other.synced[id] = start.synced[id]
            }
            return SyncPlanner.plan(start) == SyncPlanner.plan(other) ? nil : "two plans for the same trees"
        }

        // MARK: In the end

        private func judge() -> String? {
            let trees = engine.trees
            let contents = Set(world.there.values.filter { $0.kind != .folder }.map(\.version))
            for (id, item) in world.there {
                guard let here = world.here[id] else { return "\(id) is not here" }
                guard here.place == item.place else { return "\(id) is at \(here.place), not at \(item.place)" }
                guard !trees.isChanged(id) else { return "\(id) was not sent" }
                if trees.isCurrent(id), here.revision != PlannerCase.token(item.version) {
                    return "\(id) has other contents than it says"
                }
                guard here.isHidden == (trees.local[id]?.node?.isHidden ?? false) else { return "\(id): hidden?" }
            }
            for id in world.here.keys where world.there[id] == nil { return "\(id) is here, and not at the provider" }
            if let problem = shapes() { return problem }
            // INV-1: what was changed on one side, and not deleted there, is kept.
            for id in start.identifiers {
                if start.isChanged(id), let revision = start.local[id]?.node?.revision,
                    !contents.contains(PlannerCase.bytes(revision))
                {
                    return "the contents \(revision) of \(id), written here, are lost"
                }
                guard let node = start.remote[id]?.node, node.kind != .folder, node.version != start.synced[id]?.version
                else { continue }
                guard contents.contains(node.version) else {
                    return "the contents \(node.version) of \(id), written there, are lost"
                }
            }
            return deletions()
        }

        /// INV-3: every folder is there, and no two shown siblings have one name.
        private func shapes() -> String? {
            var names: Set<String> = []
            for (id, node) in world.here {
                guard node.place.parentID == world.root || world.here[node.place.parentID] != nil else {
                    return "\(id) lies in nothing"
                }
                guard !node.isParked else { return "\(id) is out of its way for ever" }
                guard !node.isHidden else { continue }
                guard names.insert("\(node.place.parentID)/\(PlannerCase.folded(node.place.name))").inserted else {
                    return "\(id) has a sibling's name"
                }
            }
            return nil
        }

        /// What one side deleted, and the other left alone, is gone.
        private func deletions() -> String? {
            for (id, agreed) in start.synced where agreed.kind != .folder {
                if case .gone = start.local[id], start.remote[id]?.node?.version == agreed.version,
                    world.there[id] != nil
                {
                    return "\(id) was deleted here, and is still there"
                }
                if case .gone = start.remote[id], start.local[id]?.node != nil, !start.isChanged(id),
                    world.here[id] != nil
                {
                    return "\(id) was deleted there, and is still here"
                }
            }
            return nil
        }
    }
}

/// What every single plan must be like.
private final class PlanLog: Sendable {
    private let found = Mutex<String?>(nil)

    var problem: String? { found.withLock { $0 } }

    func check(_ plan: SyncPlan, _ circumstances: SyncPlanner.Circumstances) {
        var items: Set<ItemIdentifier> = []
        var names: Set<String> = []
        for operation in plan.operations + circumstances.underWay {
            if !items.insert(operation.id).inserted { complain("two operations about \(operation.id)") }
            guard let place = operation.takes else { continue }
            let name = "\(operation.side) \(place.parentID)/\(PlannerCase.folded(place.name))"
            if !names.insert(name).inserted { complain("two operations take the name \(place.name)") }
        }
        if !circumstances.held.isDisjoint(with: plan.operations) { complain("what is held was planned") }
    }

    private func complain(_ problem: String) { found.withLock { $0 = $0 ?? problem } }
}
