package import DocumentModel
package import DocumentSync

/// Which of a domain's changed documents goes out next, how many at once, and what waits after an error: a state machine
/// without I/O. Its shell looks at the items that it names, carries out what the planner says of them, and reports.
///
/// What is unsent is written down in the index, so that nothing is lost with this: it begins anew with every start.
package struct SendQueue: Sendable {
    private var pacing: SyncPacing
    /// Those that somebody waits for, and the others.
    private var awaited = Line()
    private var others = Line()
    /// What is in a line; true when somebody waits for it.
    private var queued: [ItemIdentifier: Bool] = [:]
    /// Items that are just looked at.
    private var looking: Set<ItemIdentifier> = []
    private var running: [ItemIdentifier: SyncOperation] = [:]
    /// What waits for those who use the item.
    private var parked: [ItemIdentifier: SyncOperation] = [:]
    /// Those of them that were asked for again meanwhile.
    private var again: Set<ItemIdentifier> = []
    /// What failed last of each item.
    private var failed: [ItemIdentifier: SyncOperation] = [:]
    /// Why it did.
    private var errors: [ItemIdentifier: DocumentError] = [:]

    package init(pacing: SyncPacing = SyncPacing()) {
        self.pacing = pacing
    }

    // MARK: Asked for

    /// Something of it is to be sent: it was changed, somebody waits for it, or there is a reason to try again. What
    /// became of it before does not keep it.
    package mutating func add(_ id: ItemIdentifier, isAwaited: Bool = false) {
        guard running[id] == nil, parked[id] == nil, !looking.contains(id) else {
            again.insert(id)
            return
        }
        if let operation = failed[id] { pacing.release(operation) }
        guard let known = queued[id] else {
            queued[id] = isAwaited
            if isAwaited { awaited.append(id) } else { others.append(id) }
            return
        }
        guard isAwaited, !known else { return }
        queued[id] = true
        awaited.append(id)
    }

    /// The provider says that what it waited for is resolved.
    ///
    /// - Parameter codes: which errors; empty: all.
    package mutating func resolved(_ codes: Set<DocumentError.Code> = []) { pacing.resolved(codes) }

    /// Why nothing is sent, until the provider says that it is resolved, or somebody asks for it.
    package var obstacle: DocumentError.Code? { pacing.obstacle }

    /// Where an item stands.
    package func standing(of id: ItemIdentifier, at now: Duration) -> TransferCircumstances.Standing {
        if running[id] != nil { return .running }
        if parked[id] != nil { return .parked }
        if queued[id] != nil || looking.contains(id) { return .queued }
        guard let operation = failed[id] else { return .none }
        let hold = pacing.hold(of: operation, at: now)
        return hold.isHeld ? .held(until: hold.until) : .none
    }

    /// Why an item's last sending failed; nil when none has since it was last sent, or something else is to be done with it.
    package func problem(of id: ItemIdentifier) -> DocumentError? { errors[id] }

    // MARK: Under way

    /// The item to look at next; nil when there is none, or no room. To be followed by ``begin(_:_:at:)``.
    ///
    /// - Parameter places: how many documents there is room for just now.
    package mutating func next(of places: Int) -> ItemIdentifier? {
        guard running.count + looking.count < places else { return nil }
        while let id = awaited.popFirst() {
            guard queued[id] == true else { continue }
            return take(id)
        }
        while let id = others.popFirst() {
            guard queued[id] == false else { continue }
            return take(id)
        }
        return nil
    }

    private mutating func take(_ id: ItemIdentifier) -> ItemIdentifier {
        queued[id] = nil
        looking.insert(id)
        return id
    }

    /// - Parameter operation: what the planner says of the item; nil when there is nothing to do.
    /// - Returns: whether to carry it out now.
    package mutating func begin(_ id: ItemIdentifier, _ operation: SyncOperation?, at now: Duration) -> Bool {
        looking.remove(id)
        let earlier = failed[id]
        if let earlier, earlier != operation {
            // Something else is to be done by now.
            pacing.forget(earlier)
            forgetFailure(of: id)
        }
        guard let operation else {
            addAgain(id)
            return false
        }
        guard !pacing.isHeld(operation, at: now) else { return false }
        running[id] = operation
        return true
    }

    /// Somebody uses the item: what is sent waits for that, and keeps no other's place. To be followed by
    /// ``resumed(_:)``.
    package mutating func park(_ id: ItemIdentifier) {
        parked[id] = running.removeValue(forKey: id)
    }

    /// Nobody uses the item any more: what was parked is under way again.
    package mutating func resumed(_ id: ItemIdentifier) {
        running[id] = parked.removeValue(forKey: id)
    }

    /// Neither carried out nor failed: the host ends.
    package mutating func dropped(_ id: ItemIdentifier) {
        running[id] = nil
        parked[id] = nil
        again.remove(id)
    }

    /// Carried out.
    ///
    /// - Returns: whether something that kept everything from being sent is over with it.
    @discardableResult package mutating func succeeded(_ id: ItemIdentifier) -> Bool {
        guard let operation = running.removeValue(forKey: id) else { return false }
        pacing.succeeded(operation)
        forgetFailure(of: id)
        addAgain(id)
        guard pacing.obstacle != nil else { return false }
        pacing.resolved()
        return true
    }

    /// - Parameter jitter: 0 to 1, drawn by the caller.
    package mutating func failed(
        _ id: ItemIdentifier, _ error: DocumentError, at now: Duration, jitter: Double
    ) -> SyncPacing.Consequence {
        guard let operation = running.removeValue(forKey: id) else { return .held }
        let consequence = pacing.failed(operation, error, at: now, jitter: jitter)
        failed[id] = operation
        errors[id] = error
        if pacing.obstacle != nil {
            // The others would meet the same; the index knows them.
            others = Line()
            queued = queued.filter(\.value)
        }
        addAgain(id)
        return consequence
    }

    private mutating func forgetFailure(of id: ItemIdentifier) {
        failed[id] = nil
        errors[id] = nil
    }

    private mutating func addAgain(_ id: ItemIdentifier) {
        if again.remove(id) != nil { add(id) }
    }

    // MARK: Time

    /// When something is to be tried again.
    package func nextRetry(after now: Duration) -> Duration? { pacing.nextRetry(after: now) }

    /// A time that was asked for has come.
    package mutating func woken(at now: Duration) {
        for (id, operation) in failed.sorted(by: { $0.key < $1.key }) where !pacing.isHeld(operation, at: now) {
            add(id)
        }
    }

    /// Whether something is sent, or soon will be, without anybody doing anything.
    package func isBusy(at now: Duration) -> Bool {
        !running.isEmpty || !parked.isEmpty || !looking.isEmpty || !queued.isEmpty || pacing.awaitsRetry(at: now)
    }
}

/// First come, first served.
private struct Line {
    private var items: [ItemIdentifier] = []
    private var head = 0

    mutating func append(_ id: ItemIdentifier) { items.append(id) }

    mutating func popFirst() -> ItemIdentifier? {
        guard head < items.count else { return nil }
        defer {
            head += 1
            if head > 64, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }
}
