internal import DocumentModel
internal import DocumentSync

/// Between a machine's engine and the provider: requests, answers, and what becomes of them on the way.
extension Simulation {
    /// After how many milliseconds nobody waits for an answer any more.
    private static let patience = 3000
    private static let patienceWithProgram = 60_000

    func ask(_ call: SimulatedProvider.Call, for purpose: Purpose, on number: Int) {
        let incarnation = machines[number].incarnation
        if let remote { return ask(remote, call, for: purpose, on: number) }
        queue.add(.timeout(number, incarnation: incarnation, purpose), at: now + Self.patience)
        for delay in deliveries(losing: \.lostRequest) {
            queue.add(.request(number, incarnation: incarnation, purpose, call), at: now + delay)
        }
    }

    /// A provider program is at the other end of a pipe: nothing is lost on the way, and much behind it.
    private func ask(
        _ remote: any SimulatedRemote, _ call: SimulatedProvider.Call, for purpose: Purpose, on number: Int
    ) {
        let incarnation = machines[number].incarnation
        queue.add(.timeout(number, incarnation: incarnation, purpose), at: now + Self.patienceWithProgram)
        remote.ask(call, of: number) { [unowned self] reply in
            onStep?("  \(number) is answered \(reply)")
            queue.add(.reply(number, incarnation: incarnation, purpose, reply), at: now + 1)
        }
    }

    /// When a message arrives: never, once, or twice.
    private func deliveries(losing: KeyPath<Scenario.Faults, Int>) -> [Int] {
        if happens(losing) { return [] }
        return happens(\.doubled) ? [latency(), latency()] : [latency()]
    }

    private func latency() -> Int {
        5 + random.below(40) + (happens(\.slow) ? random.below(6000) : 0)
    }

    func answer(_ call: SimulatedProvider.Call, for purpose: Purpose, _ number: Int, _ incarnation: Int) {
        let reply = obstacle(to: call).map { SimulatedProvider.Reply.failure($0) } ?? provider.answer(call)
        onStep?("  \(reply)")
        for delay in deliveries(losing: \.lostReply) {
            queue.add(.reply(number, incarnation: incarnation, purpose, reply), at: now + delay)
        }
    }

    private func obstacle(to call: SimulatedProvider.Call) -> DocumentError.Code? {
        if isFaulty, let outage = scenario.faults.outage, outage.contains(now) {
            guard scenario.faults.isQuota else { return .serverUnreachable }
            switch call {
            case .create, .send: return .insufficientQuota
            default: break
            }
        }
        if happens(\.transient) { return .busy }
        if case .changes(let anchor) = call, anchor > 0, happens(\.expiredAnchor) { return .anchorExpired }
        return nil
    }

    func timeOut(_ purpose: Purpose, on number: Int) {
        switch purpose {
        case .operation(let ticket):
            guard let operation = machines[number].engine?.operation(of: ticket) else { return }
            if mistake == .timeoutIsSuccess { return pretendSuccess(ticket, operation, on: number) }
            step(.failed(ticket, DocumentError(.deadlineExceeded, "no answer")), on: number)
        case .poll(let poll):
            guard machines[number].poll == poll else { return }
            machines[number].poll = 0
            schedulePoll(number, at: now + 500)
        }
    }

    /// For mistakes: takes it that the provider did what it was asked.
    func pretendSuccess(_ ticket: SyncTicket, _ operation: SyncOperation, on number: Int) {
        let trees = machines[number].index.trees
        switch operation {
        case .send(let id, let base, let revision):
            guard var agreed = trees.synced[id] else { break }
            agreed.version = base
            agreed.revision = revision
            return step(.answered(ticket, .overtaken([.synced(id, agreed)])), on: number)
        case .delete: return step(.answered(ticket, .deleted), on: number)
        default: break
        }
        step(.failed(ticket, DocumentError(.deadlineExceeded, "no answer")), on: number)
    }

    func take(_ reply: SimulatedProvider.Reply, for purpose: Purpose, on number: Int) {
        switch purpose {
        case .poll(let poll):
            guard machines[number].poll == poll || mistake == .staleAnswerKeepsAnchor else { return }
            follow(reply, isStale: machines[number].poll != poll, on: number)
        case .operation(let ticket):
            guard let operation = machines[number].engine?.operation(of: ticket) else { return }
            if case .failure(let code) = reply {
                fail(ticket, operation, code, on: number)
            } else {
                finish(ticket, operation, reply, on: number)
            }
        }
    }

    private func fail(
        _ ticket: SyncTicket, _ operation: SyncOperation, _ code: DocumentError.Code, on number: Int
    ) {
        switch (mistake, code, operation) {
        case (.busyIsSuccess, .busy, _), (.refusalIsSuccess, .versionNoLongerAvailable, _):
            return pretendSuccess(ticket, operation, on: number)
        case (.unreachableIsGone, .serverUnreachable, .send), (.unreachableIsGone, .serverUnreachable, .fetch),
            (.unreachableIsGone, .serverUnreachable, .compare), (.unreachableIsGone, .serverUnreachable, .relocate):
            return step(.answered(ticket, .overtaken([.remote(operation.id, .gone)])), on: number)
        default: break
        }
        if case .delete = operation, code == .noSuchItem { return step(.answered(ticket, .deleted), on: number) }
        step(.failed(ticket, DocumentError(code, "refused")), on: number)
    }

    // MARK: The provider's changes

    /// One look at a time, and never later than one that was wanted already.
    func schedulePoll(_ number: Int, at time: Int) {
        let due = machines[number].pollDue
        guard due <= now || time < due else { return }
        machines[number].pollDue = time
        queue.add(.poll(number, incarnation: machines[number].incarnation), at: time)
    }

    func poll(_ number: Int) {
        machines[number].pollDue = 0
        guard machines[number].poll == 0 else { return }
        machines[number].lastPoll += 1
        machines[number].poll = machines[number].lastPoll
        let anchor = machines[number].index.anchor
        machines[number].knownBefore = Set(machines[number].index.trees.remote.keys)
        ask(anchor < 0 ? .list : .changes(since: anchor), for: .poll(machines[number].lastPoll), on: number)
    }

    /// What is being made is not known by its identifier yet: a listing may have missed that it is gone again.
    private func isCreating(_ number: Int) -> Bool {
        machines[number].engine?.operationsUnderWay.contains { if case .create = $0 { true } else { false } } == true
    }

    private func follow(_ reply: SimulatedProvider.Reply, isStale: Bool, on number: Int) {
        if !isStale { machines[number].poll = 0 }
        let incarnation = machines[number].incarnation
        switch reply {
        case .changes(let changes, let anchor, let isComplete):
            var news = changes.map { TreeChange.remote($0.id, $0.sighting) }
            let isListing = machines[number].index.anchor < 0
            var isLast = true
            // Without an anchor, what is not there is gone: the listing is complete.
            if isListing || mistake == .firstPageIsAll, !isStale {
                let listed = Set(changes.map(\.id))
                for (id, sighting) in machines[number].index.trees.remote.sorted(by: { $0.key < $1.key })
                where sighting != .gone && !listed.contains(id) && (isListing || isComplete) {
                    // What was made since may have come later than the listing, or be gone again.
                    if machines[number].knownBefore.contains(id) || mistake == .firstPageIsAll {
                        news.append(.remote(id, .gone))
                    } else {
                        isLast = false
                    }
                }
                if isListing, isCreating(number) { isLast = false }
            }
            if mistake == .ignoresTombstones {
                news.removeAll { if case .remote(_, .gone) = $0 { true } else { false } }
            }
            if mistake == .anchorBeforeChanges { machines[number].index.anchor = anchor }
            step(.learned(news), on: number)
            // The anchor is written down with what it stands for, or not at all.
            guard isCurrent(number, incarnation) else { return }
            if crashes(number) { return }
            guard isLast else { return schedulePoll(number, at: now + 200) }
            if !isStale { machines[number].index.anchor = mistake == .anchorBeyondPage ? provider.sequence : anchor }
            schedulePoll(number, at: now + (isComplete ? 4000 : 1))
        case .failure(.anchorExpired):
            machines[number].index.anchor = -1
            schedulePoll(number, at: now + 1)
        default: schedulePoll(number, at: now + 1000)
        }
    }
}
