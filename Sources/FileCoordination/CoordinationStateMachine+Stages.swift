import DocumentModel

/// A claim's way from the queue to its accessor, and out again (COORD-8, COORD-24, COORD-25).
extension CoordinationStateMachine {
    /// Takes a claim as far as it can go.
    mutating func advance(_ id: ClaimID) {
        while let record = records[id], step(id, record) {}
    }

    /// - Returns: whether the claim went on, and may go on further.
    private mutating func step(_ id: ClaimID, _ record: ClaimRecord) -> Bool {
        switch record.stage {
        case .queued:
            guard !waits(id) else { return false }
            let plan = plan(for: record.claim)
            if let refusal = plan.refusal {
                refuse(id, refusal)
                return false
            }
            records[id]?.stage = .relinquishing
            records[id]?.requests = plan.requests
            for telling in plan.relinquishing { ask(telling, for: id) }
            return !plan.relinquishing.isEmpty && refuseDeadlock(closedBy: id) ? false : true
        case .relinquishing:
            guard record.unanswered.isEmpty else { return false }
            records[id]?.stage = .asking
            return true
        case .asking:
            guard record.unanswered.isEmpty else { return false }
            guard let next = record.requests.first else {
                records[id]?.stage = .asked
                return true
            }
            // One saves after the other, so that two with unsaved changes do not wait for each other's writes.
            records[id]?.requests.removeFirst()
            ask(next, for: id)
            return !refuseDeadlock(closedBy: id)
        case .asked:
            guard !waits(id) else { return false }
            provide(id, record.claim)
            return false
        case .providing, .snapshotting, .granted, .uploading: return false
        }
    }

    /// Whether other claims keep it waiting; then it is looked at again when the first of them ends.
    private mutating func waits(_ id: ClaimID) -> Bool {
        guard let record = records[id] else { return true }
        guard let block = firstBlock(of: record) else { return false }
        let obstacles = obstacles(for: record.claim)
        if !obstacles.isEmpty {
            refuse(id, CoordinationMessages.busy(record.claim, because: obstacles))
            return true
        }
        guard record.witness != block else { return true }
        if let witness = record.witness { records[witness]?.dependents.remove(id) }
        records[id]?.witness = block
        records[block]?.dependents.insert(id)
        return true
    }

    /// The claims because of which one that does not want to wait is refused.
    private func obstacles(for claim: Claim) -> [Claim] {
        switch claim.style {
        case .access, .preparation, .renewal, .following: []
        case .unlessBusy: allBlocks(of: claim.id).map(\.claim)
        case .unlessOthersUseIt: allBlocks(of: claim.id).map(\.claim).filter { $0.owner != claim.owner }
        }
    }

    private mutating func provide(_ id: ClaimID, _ claim: Claim) {
        open.remove(id)
        impatient.remove(id)
        let wanting = claim.providesContents ? claim.intentions.filter { $0.intent.needsContents }.map(\.item) : []
        guard claim.style != .preparation, !wanting.isEmpty else { return letRun(id) }
        records[id]?.stage = .providing
        actions.append(.provide(id, wanting))
    }

    /// Everybody and everything is ready.
    mutating func letRun(_ id: ClaimID) {
        guard let record = records[id] else { return }
        let claim = record.claim
        let uploads = claim.style != .preparation && claim.intentions.allSatisfy(\.intent.isForUploading)
        records[id]?.stage = uploads ? .snapshotting : .granted
        actions.append(
            uploads
                ? .makeSnapshots(id, claim.intentions.map(\.item))
                : .grant(id, claim.intentions.map(\.item.location)))
        // Its rank counts no more: those that it stood before find it as one that holds.
    }

    // MARK: - Ends

    /// Refuses those that have waited for others for as long as they want to.
    mutating func refuseImpatient() {
        for id in impatient.sorted() {
            guard let record = records[id], let deadline = record.deadline, deadline <= now else { continue }
            guard record.end.map({ $0 <= now }) == true || waitsForMount(id) else {
                // Tools end what they have; contents come, or their provider's deadline does.
                records[id]?.nextLook = now + Claim.patienceWithMounts
                continue
            }
            refuse(id, CoordinationMessages.inUse(record.claim, explanation(of: id)))
        }
    }

    /// Whether programs have open in a mount what a claim of another one waits for: that may be for ever. Newer contents that are
    /// brought for them are not: nobody has anything open for that.
    private func waitsForMount(_ id: ClaimID) -> Bool {
        records[id]?.claim.isOfMount == true
            && allBlocks(of: id).contains {
                $0.stage == .granted && $0.claim.isOfMount && $0.claim.style != .renewal
            }
    }

    /// COORD-8, COORD-25: the accessor does not run; presenters get back what they gave up.
    mutating func refuse(_ id: ClaimID, _ error: DocumentError) {
        actions.append(.refuse(id, error))
        withdraw(id)
    }

    mutating func finish(_ id: ClaimID, effects: [ClaimEffect]?) {
        guard let record = records[id] else { return }
        guard record.stage == .granted else { return withdraw(id) }
        let claim = record.claim
        for telling in record.afterwards { tell(telling.presenter, telling.message) }
        if claim.style != .preparation {
            for (index, intention) in claim.intentions.enumerated() {
                let effect =
                    if let effects, index < effects.count { effects[index] } else { intention.intent.usualEffect }
                tell(effect, on: intention.item, except: claim.presenter)
            }
        }
        giveBack(record)
        remove(id)
        if let presenter = claim.presenter, claim.isWriting, presenters[presenter]?.presenter.item == nil,
            presenters[presenter] != nil
        {
            actions.append(.rereadItem(of: presenter))
        }
    }

    private mutating func withdraw(_ id: ClaimID) {
        guard let record = records[id] else { return }
        // Messages that were sent stay sent, their answers are not awaited; the others are never sent (COORD-37).
        for message in record.unanswered {
            guard let presenter = addressees[message], presenters[presenter]?.current?.id != message else { continue }
            presenters[presenter]?.queue.removeAll { $0.id == message }
            addressees[message] = nil
        }
        // A move that was announced has taken place, whatever became of the rest.
        for telling in record.afterwards { tell(telling.presenter, telling.message) }
        giveBack(record)
        remove(id)
    }

    mutating func giveBack(_ record: ClaimRecord) {
        for presenter in record.relinquished { tell(presenter, .reacquire) }
    }
}
