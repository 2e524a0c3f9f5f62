package import DocumentModel

/// Who may read and write what, who waits, and what presenters are told: the broker of all claims, without I/O and
/// without a clock.
///
/// Claims go first in, first out: one that must wait also holds back later ones that would have to wait for it, so that
/// nobody is starved. When it is a claim's turn, presenters are asked; when they have answered, contents are provided;
/// then the accessor runs. Times are given, on any scale that does not go back.
package struct CoordinationStateMachine: Sendable {
    var records: [ClaimID: ClaimRecord] = [:]
    var tree = CoordinationTree()
    var presenters: [PresenterID: PresenterRecord] = [:]
    /// Presenters that are answering a message.
    var answering: Set<PresenterID> = []
    /// Messages that presenters have not answered, with who is to answer.
    var addressees: [MessageID: PresenterID] = [:]
    /// Claims that have not got what they asked for.
    var open: Set<ClaimID> = []
    /// Those of them that do not wait for ever.
    var impatient: Set<ClaimID> = []
    var claimsByOwner: [ClaimOwner: Set<ClaimID>] = [:]
    var presentersByOwner: [ClaimOwner: Set<PresenterID>] = [:]
    /// Coordinators that run nothing any more (COORD-37).
    /// By connection; the numbers of its coordinators.
    var cancelled: [UInt64: Set<UInt64>] = [:]
    /// Presenters that did not answer, the newest last; at most ``droppedLimit``.
    package internal(set) var dropped: [DroppedPresenter] = []
    /// Those that were found in the last turn.
    package internal(set) var deadlocks: [Deadlock] = []
    var lastRank: UInt64 = 0
    var lastMessage: UInt64 = 0
    var now: Duration = .zero
    var actions: [CoordinationAction] = []
    /// Claims to look at, because something that they waited for has gone.
    var revisits: [ClaimID] = []
    /// Items have got another place in this turn.
    var somethingHasMoved = false

    /// What items are called now that were made here and had another identifier before.
    var identities = Identities()

    static let droppedLimit = 100
    static let rankStep: UInt64 = 1 << 20
    /// A presenter with more messages waiting than this does not read them: it is dropped.
    static let queueLimit = 1_000

    package init() {}

    // MARK: - Claims

    /// A claim is asked for: it is granted or refused at once (COORD-33, COORD-37, COORD-39), or waits.
    package mutating func request(_ claim: Claim, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { machine in
            let claim = machine.current(claim)
            if let refusal = machine.refusal(of: claim) {
                machine.actions.append(.refuse(claim.id, refusal))
                return
            }
            let (rank, overtakes) = machine.rank(for: claim)
            machine.insert(ClaimRecord(claim: claim, rank: rank, since: time))
            machine.letPassWithItsGroup(claim.id)
            if overtakes || !claim.nestedIn.isEmpty || claim.answering != nil, machine.circle(from: claim.id) != nil,
                !machine.letPass(claim.id), machine.refuseDeadlock(closedBy: claim.id)
            {
                return
            }
            // What others hold waits for this one from now on, and so, perhaps, do those before somebody.
            if !claim.nestedIn.isEmpty || claim.answering != nil {
                for id in machine.open.sorted() where id != claim.id { machine.letPassWithItsGroup(id) }
            }
            machine.advance(claim.id)
        }
    }

    /// Grants an access, if nobody has to be waited for or asked. Contents are the caller's to look after: while it has
    /// the claim, nobody else changes them.
    ///
    /// - Returns: whether it is granted; if not, nothing has happened.
    package mutating func grantAtOnce(_ claim: Claim, at time: Duration = .zero) -> Bool {
        let claim = current(claim)
        guard claim.style == .access || claim.style == .following, claim.nestedIn.isEmpty, claim.answering == nil,
            !claim.intentions.contains(where: \.intent.isForUploading), canGrantAtOnce(claim)
        else { return false }
        now = max(now, time)
        // Its rank counts for nobody: those who wait find it as one that holds.
        var record = ClaimRecord(claim: claim, rank: lastRank, since: now)
        record.stage = .granted
        insert(record)
        return true
    }

    /// An accessor has returned, or a claim is given up. Unknown claims are ignored: they ended with their owner.
    ///
    /// - Parameter effects: what was done to the items, in the order of the intentions; nil: what the options say.
    package mutating func end(
        _ id: ClaimID, effects: [ClaimEffect]? = nil, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { $0.finish(id, effects: effects) }
    }

    /// The contents that ``CoordinationAction/provide(_:_:)`` asked for are here, or the provider's error is.
    package mutating func provided(
        _ id: ClaimID, failure: DocumentError? = nil, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            guard machine.records[id]?.stage == .providing else { return }
            if let failure { return machine.refuse(id, failure) }
            machine.letRun(id)
        }
    }

    /// The snapshots that ``CoordinationAction/makeSnapshots(_:_:)`` asked for are made: the items are free again.
    package mutating func snapshotsMade(
        _ id: ClaimID, failure: DocumentError? = nil, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            guard let record = machine.records[id], record.stage == .snapshotting else { return }
            if let failure { return machine.refuse(id, failure) }
            machine.records[id]?.stage = .uploading
            for intention in record.claim.intentions { machine.tree.remove(id, intention) }
            machine.giveBack(record)
            machine.records[id]?.relinquished = []
            machine.revisitDependents(of: id)
            machine.actions.append(.grant(id, record.claim.intentions.map(\.item.location)))
        }
    }

    /// Of one connection. Tools number their coordinators as they make them, and do not come back to the oldest.
    static let mostCancelled = 10_000

    package func isCancelled(_ coordinator: CoordinatorID) -> Bool {
        cancelled[coordinator.owner]?.contains(coordinator.number) ?? false
    }

    private mutating func remember(_ coordinator: CoordinatorID) {
        var numbers = cancelled.removeValue(forKey: coordinator.owner) ?? []
        numbers.insert(coordinator.number)
        if numbers.count > Self.mostCancelled { numbers.subtract(numbers.sorted().prefix(Self.mostCancelled / 2)) }
        cancelled[coordinator.owner] = numbers
    }

    /// COORD-37: what waits for this coordinator is refused, what runs goes on, later claims are refused.
    package mutating func cancel(_ coordinator: CoordinatorID, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { machine in
            machine.remember(coordinator)
            let waiting = machine.records.values.filter { record in
                record.claim.coordinator == coordinator && record.stage != .granted && record.stage != .uploading
            }
            for record in waiting.sorted(by: { $0.rank < $1.rank }) {
                machine.refuse(record.claim.id, CoordinationMessages.cancelled(record.claim))
            }
        }
    }

    /// A connection ended: all that it held, waited for and presented is gone (COORD-8, COORD-39). What it wrote counts.
    package mutating func ownerEnded(_ owner: ClaimOwner, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { machine in
            for presenter in (machine.presentersByOwner[owner] ?? []).sorted() { machine.forget(presenter) }
            for id in (machine.claimsByOwner[owner] ?? []).sorted() { machine.finish(id, effects: nil) }
            machine.cancelled[owner.id] = nil
        }
    }

    // MARK: - What is held

    /// How many claims have what they asked for.
    package var heldCount: Int {
        records.count - open.count
    }

    package var waitingCount: Int { open.count }

    /// Whether nobody claims or presents anything.
    package var isIdle: Bool { records.isEmpty && presenters.isEmpty }

    package func isHeld(_ id: ClaimID) -> Bool { records[id].map { !$0.stage.isOpen } ?? false }

    /// Whether claims are held on an item, or on what lies inside it when `contentsToo`. A part of a package counts as claimed
    /// when itself is accessed, or the package; not when another part is, though that keeps others from all of it (COORD-21).
    package func isClaimed(_ item: CoordinatedItem, contentsToo: Bool = false) -> Bool {
        let item = current(item)
        guard item.isInPackage else {
            guard case .item(let key) = item.subject else { return false }
            return isClaimed(key, contentsToo: contentsToo)
        }
        guard let node = tree[item.claimed] else { return false }
        return node.readers.union(node.writers).contains { id in
            guard isHeld(id), let record = records[id] else { return false }
            return record.claim.intentions.contains { intention in
                intention.item.isOrHolds(item) || contentsToo && item.isOrHolds(intention.item)
            }
        }
    }

    /// The same of an item that lies in no package.
    package func isClaimed(_ key: CoordinatedItem.Key, contentsToo: Bool = false) -> Bool {
        func isHeldAt(_ node: CoordinationTree.Node) -> Bool {
            node.readers.contains(where: isHeld) || node.writers.contains(where: isHeld)
        }
        let key = identities.current(key)
        if let node = tree[.item(key)], isHeldAt(node) { return true }
        guard contentsToo else { return false }
        var found = false
        tree.forEachInside(.item(key)) { node in
            found = isHeldAt(node)
            return !found
        }
        return found
    }

    /// Whether a claim would be granted at once, with nobody asked.
    package func canGrantAtOnce(_ claim: Claim) -> Bool {
        let claim = current(claim)
        return refusal(of: claim) == nil && plan(for: claim).isEmpty
            && firstBlock(of: ClaimRecord(claim: claim, rank: .max, since: now)) == nil
    }

    /// Whether a claim would have to wait for other claims. Presenters, who may have to let go first, are not looked at.
    package func wouldWait(_ claim: Claim) -> Bool {
        firstBlock(of: ClaimRecord(claim: current(claim), rank: .max, since: now)) != nil
    }

    // MARK: - Turns

    /// One input: it changes what it changes, then whoever can go on goes on, in order.
    mutating func turn(at time: Duration, _ change: (inout Self) -> Void) -> [CoordinationAction] {
        now = max(now, time)
        actions = []
        deadlocks = []
        change(&self)
        settle()
        defer { actions = [] }
        return actions
    }

    mutating func settle() {
        repeat {
            while !revisits.isEmpty {
                let ids = Set(revisits).sorted { (records[$0]?.rank ?? 0) < (records[$1]?.rank ?? 0) }
                revisits = []
                for id in ids { advance(id) }
            }
            guard somethingHasMoved else { return }
            // By a move, those that wait already may have come to wait for each other (COORD-39).
            somethingHasMoved = false
            for id in open.sorted(by: { (records[$0]?.rank ?? 0) > (records[$1]?.rank ?? 0) })
            where refuseDeadlock(closedBy: id) {
                somethingHasMoved = true
            }
        } while somethingHasMoved
    }

    // MARK: - Bookkeeping

    private mutating func insert(_ record: ClaimRecord) {
        let claim = record.claim
        records[claim.id] = record
        if record.stage.isOpen {
            open.insert(claim.id)
            if record.deadline != nil { impatient.insert(claim.id) }
        }
        claimsByOwner[claim.owner, default: []].insert(claim.id)
        if claim.style != .preparation {
            for intention in claim.intentions { tree.insert(claim.id, intention) }
        }
        for outer in claim.nestedIn { records[outer]?.nested.insert(claim.id) }
        if let message = claim.answering, let presenter = addressees[message],
            presenters[presenter]?.current?.id == message
        {
            presenters[presenter]?.claimsInAnswer.insert(claim.id)
        }
    }

    /// Takes a claim out; those that waited for it are looked at again.
    mutating func remove(_ id: ClaimID) {
        guard let record = records[id] else { return }
        if record.claim.style != .preparation, record.stage != .uploading {
            for intention in record.claim.intentions { tree.remove(id, intention) }
        }
        if let witness = record.witness { records[witness]?.dependents.remove(id) }
        for outer in record.claim.nestedIn { records[outer]?.nested.remove(id) }
        if let message = record.claim.answering, let presenter = addressees[message] {
            presenters[presenter]?.claimsInAnswer.remove(id)
        }
        revisitDependents(of: id)
        records[id] = nil
        open.remove(id)
        impatient.remove(id)
        claimsByOwner[record.claim.owner]?.remove(id)
        if claimsByOwner[record.claim.owner]?.isEmpty == true { claimsByOwner[record.claim.owner] = nil }
    }

    mutating func revisitDependents(of id: ClaimID) {
        guard let dependents = records[id]?.dependents, !dependents.isEmpty else { return }
        records[id]?.dependents = []
        for dependent in dependents { records[dependent]?.witness = nil }
        revisits += dependents
    }
}
