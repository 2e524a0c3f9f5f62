package import DocumentModel

/// Registration, and one message at a time to each presenter (COORD-24, COORD-29, COORD-31).
extension CoordinationStateMachine {
    package mutating func add(_ presenter: Presenter, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { machine in
            guard machine.presenters[presenter.id] == nil else { return }
            var presenter = presenter
            presenter.item = presenter.item.map(machine.current)
            machine.presenters[presenter.id] = PresenterRecord(presenter)
            machine.presentersByOwner[presenter.owner, default: []].insert(presenter.id)
            if let item = presenter.item { machine.tree.insert(presenter.id, at: item) }
        }
    }

    /// Messages that it has not answered are not awaited any more. Unknown presenters are ignored: they were dropped.
    package mutating func remove(_ presenter: PresenterID, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { $0.forget(presenter) }
    }

    /// A presenter tells that it presents another item by now, or one at all (COORD-29).
    package mutating func setItem(
        _ item: CoordinatedItem?, of presenter: PresenterID, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            guard let record = machine.presenters[presenter] else { return }
            if let old = record.presenter.item { machine.tree.remove(presenter, at: old) }
            let item = item.map(machine.current)
            machine.presenters[presenter]?.presenter.item = item
            if let item { machine.tree.insert(presenter, at: item) }
        }
    }

    /// A connection has ended, and its presenters with it; what it holds ends on its own.
    package mutating func presentersEnded(of owner: ClaimOwner, at time: Duration = .zero) -> [CoordinationAction] {
        turn(at: time) { machine in
            for presenter in (machine.presentersByOwner[owner] ?? []).sorted() { machine.forget(presenter) }
            machine.cancelled[owner.id] = nil
        }
    }

    package func presenterCount(of owner: ClaimOwner) -> Int { presentersByOwner[owner]?.count ?? 0 }

    /// What it presents, where that is now.
    package func presented(by presenter: PresenterID) -> CoordinatedItem? { presenters[presenter]?.presenter.item }

    /// Who is to answer a message.
    package func addressee(of message: MessageID) -> PresenterID? { addressees[message] }

    package func isRegistered(_ presenter: PresenterID) -> Bool { presenters[presenter] != nil }

    /// A presenter has answered its message. An error makes the claim that caused it fail (COORD-25). Unknown messages
    /// are ignored: their presenter was dropped.
    package mutating func answered(
        _ message: MessageID, failure: DocumentError? = nil, at time: Duration = .zero
    ) -> [CoordinationAction] {
        turn(at: time) { machine in
            guard let presenter = machine.addressees[message], let record = machine.presenters[presenter],
                let pending = record.current, pending.id == message
            else { return }
            machine.addressees[message] = nil
            machine.presenters[presenter]?.current = nil
            machine.presenters[presenter]?.claimsInAnswer = []
            machine.presenters[presenter]?.deadline = nil
            machine.answering.remove(presenter)
            machine.take(failure, to: pending, from: presenter)
            machine.deliverNext(to: presenter)
        }
    }

    private mutating func take(
        _ failure: DocumentError?, to pending: PresenterRecord.Pending, from presenter: PresenterID
    ) {
        let isRelinquishing = pending.message == .relinquishToReader || pending.message == .relinquishToWriter
        guard let claim = pending.claim, records[claim]?.unanswered.remove(pending.id) != nil else {
            // The claim that it gave way to has gone meanwhile.
            if isRelinquishing, failure == nil { tell(presenter, .reacquire) }
            return
        }
        if let failure { return refuse(claim, failure) }
        if isRelinquishing { records[claim]?.relinquished.append(presenter) }
        revisits.append(claim)
    }

    // MARK: - Messages

    /// Sends a message whose answer a claim waits for.
    mutating func ask(_ telling: ClaimRecord.Telling, for claim: ClaimID) {
        guard presenters[telling.presenter] != nil else { return }
        let message = post(telling.message, to: telling.presenter, for: claim)
        records[claim]?.unanswered.insert(message)
        deliverNext(to: telling.presenter)
    }

    /// Sends a message that nobody waits for, if the presenter has declared it. The same one twice in a row is once.
    mutating func tell(_ presenter: PresenterID, _ message: PresenterMessage) {
        guard declares(presenter, message), let record = presenters[presenter] else { return }
        if message != .reacquire, let last = record.queue.last, last.message == message { return }
        guard record.queue.count < Self.queueLimit else { return drop(presenter) }
        _ = post(message, to: presenter, for: nil)
        deliverNext(to: presenter)
    }

    private mutating func post(_ message: PresenterMessage, to presenter: PresenterID, for claim: ClaimID?) -> MessageID
    {
        lastMessage += 1
        let id = MessageID(lastMessage)
        addressees[id] = presenter
        presenters[presenter]?.queue.append(PresenterRecord.Pending(id: id, message: message, claim: claim))
        return id
    }

    private mutating func deliverNext(to presenter: PresenterID) {
        guard let record = presenters[presenter], record.current == nil, let next = record.queue.first else { return }
        presenters[presenter]?.queue.removeFirst()
        presenters[presenter]?.current = next
        presenters[presenter]?.deadline = now + record.presenter.patience
        answering.insert(presenter)
        actions.append(.deliver(next.message, next.id, to: presenter))
    }

    // MARK: - Deadlines

    /// When ``timePassed(to:)`` is next to be called; nil when nobody is answering anything, and everybody waits as long as
    /// it takes.
    package var nextDeadline: Duration? {
        let answer = answering.lazy.compactMap { presenters[$0]?.deadline }.min()
        let claim = impatient.lazy.compactMap { records[$0]?.deadline }.min()
        return [answer, claim].compactMap { $0 }.min()
    }

    /// Drops presenters that have not answered in time; the others go on (COORD-39). One that itself waits for a claim
    /// which it asked for while answering gets more time. Then claims are refused whose time for others is over.
    package mutating func timePassed(to time: Duration) -> [CoordinationAction] {
        turn(at: time) { machine in
            let late = machine.answering.filter { machine.presenters[$0]?.deadline.map { $0 <= time } ?? false }
            for presenter in late.sorted() {
                guard let record = machine.presenters[presenter] else { continue }
                if record.claimsInAnswer.contains(where: machine.isWaiting) {
                    machine.presenters[presenter]?.deadline = time + record.presenter.patience
                } else {
                    machine.drop(presenter)
                }
            }
            machine.settle()
            machine.refuseImpatient()
        }
    }

    private func isWaiting(_ id: ClaimID) -> Bool {
        guard let stage = records[id]?.stage else { return false }
        return stage != .granted && stage != .uploading
    }

    private mutating func drop(_ presenter: PresenterID) {
        guard let record = presenters[presenter], let message = record.current?.message else { return }
        let entry = DroppedPresenter(
            presenter: presenter, owner: record.presenter.owner, location: record.presenter.item?.location,
            message: message, patience: record.presenter.patience, time: now)
        dropped.append(entry)
        if dropped.count > Self.droppedLimit { dropped.removeFirst() }
        actions.append(.drop(entry))
        forget(presenter)
    }

    /// A presenter is gone: whoever waits for its answers goes on.
    mutating func forget(_ presenter: PresenterID) {
        guard let record = presenters.removeValue(forKey: presenter) else { return }
        answering.remove(presenter)
        presentersByOwner[record.presenter.owner]?.remove(presenter)
        if presentersByOwner[record.presenter.owner]?.isEmpty == true {
            presentersByOwner[record.presenter.owner] = nil
        }
        if let item = record.presenter.item { tree.remove(presenter, at: item) }
        for pending in record.queue + [record.current].compactMap({ $0 }) {
            addressees[pending.id] = nil
            guard let claim = pending.claim else { continue }
            if records[claim]?.unanswered.remove(pending.id) != nil { revisits.append(claim) }
        }
    }
}
