package import DocumentModel

/// Who waits for whom in a circle, so that none of them could ever go on (COORD-39).
package struct Deadlock: Hashable, Sendable, CustomStringConvertible {
    /// What waits, and what is waited for.
    package enum Party: Hashable, Sendable {
        case claim(ClaimID)
        /// A presenter, for its answer to the current message.
        case presenter(PresenterID)
    }

    /// One wait of the circle; each one's `holder` is the next one's `waiter`.
    package struct Wait: Hashable, Sendable, CustomStringConvertible {
        package let waiter: ClaimOwner
        package let holder: ClaimOwner
        package let from: Party
        package let to: Party
        /// In words, with the items.
        package let description: String
    }

    package let waits: [Wait]
    /// Whose claim was refused, so that the others can go on.
    package let refused: ClaimOwner
    package let refusedClaim: ClaimID

    package var parties: [ClaimOwner] {
        waits.map(\.waiter).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    package var description: String {
        let names = parties.map(\.name)
        let together =
            names.count == 1
            ? "\(names[0]) waits for itself" : "\(names.joined(separator: " and ")) wait for each other"
        return "\(together): \(waits.map(\.description).joined(separator: "; ")). The claim of \(refused) was refused."
    }

    package var error: DocumentError {
        DocumentError(.deadlock, "\(self) End one access and try again.", causes: waits.map { "\($0)." })
    }
}

extension CoordinationStateMachine {
    /// What waits, in the graph of waits.
    typealias Waiter = Deadlock.Party

    /// Refuses a claim that waits, in the end, for itself, and tells the other parties; or those in the circle that would only
    /// renew a file, when that is enough.
    ///
    /// - Returns: whether it was refused.
    mutating func refuseDeadlock(closedBy id: ClaimID) -> Bool {
        while let circle = circle(from: id), let renewal = openRenewal(in: circle) {
            refuse(in: circle, renewal)
            if renewal == id { return true }
        }
        guard let circle = circle(from: id), records[id] != nil else { return false }
        refuse(in: circle, id)
        return true
    }

    /// A claim of the circle that gives way to all others.
    private func openRenewal(in circle: [Waiter]) -> ClaimID? {
        for case .claim(let id) in circle where records[id]?.claim.style == .renewal {
            if records[id]?.stage.isOpen == true { return id }
        }
        return nil
    }

    private mutating func refuse(in circle: [Waiter], _ id: ClaimID) {
        guard let claim = records[id]?.claim else { return }
        let claims = circle.compactMap { party in
            if case .claim(let id) = party { records[id]?.claim } else { nil }
        }
        /// Each party is told what it may know.
        func deadlock(seenBy seer: ClaimOwner) -> Deadlock {
            let sight = CoordinationMessages.Sight(of: seer, claims.filter { $0.owner == seer })
            let waits = zip(circle, circle.dropFirst() + circle.prefix(1)).compactMap { wait($0, $1, seenBy: sight) }
            return Deadlock(waits: waits, refused: claim.owner, refusedClaim: id)
        }
        let told = deadlock(seenBy: claim.owner)
        let others = told.parties.filter { $0 != claim.owner }.map { ($0, deadlock(seenBy: $0)) }
        deadlocks.append(told)
        refuse(id, told.error)
        if claim.style == .renewal { return }
        for (party, deadlock) in others { actions.append(.report(deadlock, to: party)) }
    }

    /// The shortest way from a claim back to itself.
    func circle(from id: ClaimID) -> [Waiter]? {
        let start = Waiter.claim(id)
        var cameFrom: [Waiter: Waiter] = [:]
        var pending = [start]
        var next = 0
        while next < pending.count {
            let waiter = pending[next]
            next += 1
            for other in waitedFor(by: waiter) {
                if other == start {
                    var way = [waiter]
                    while let last = way.last, last != start, let before = cameFrom[last] { way.append(before) }
                    return way.reversed()
                }
                guard cameFrom[other] == nil else { continue }
                cameFrom[other] = waiter
                pending.append(other)
            }
        }
        return nil
    }

    /// Whether a claim that waits for its turn waits, in the end, for one of the others.
    func waits(_ id: ClaimID, inTheEndFor others: Set<ClaimID>) -> Bool {
        var seen: Set<Waiter> = [.claim(id)]
        var pending = [Waiter.claim(id)]
        while let waiter = pending.popLast() {
            for other in waitedFor(by: waiter) where seen.insert(other).inserted {
                if case .claim(let found) = other, others.contains(found) { return true }
                pending.append(other)
            }
        }
        return false
    }

    /// A claim that is open waits for those that block it, and for presenters; one that is held, for those that were
    /// asked for inside it; a presenter, for the claims that it asked for while it answers.
    private func waitedFor(by waiter: Waiter) -> [Waiter] {
        switch waiter {
        case .claim(let id):
            guard let record = records[id] else { return [] }
            guard record.stage.isOpen else { return record.nested.sorted().map(Waiter.claim) }
            let presenters = Set(record.unanswered.compactMap { addressees[$0] }).sorted()
            // Also while presenters are asked, others may have passed it that it has to wait for (COORD-32).
            return presenters.map(Waiter.presenter) + allBlocks(of: id).map { .claim($0.claim.id) }
        case .presenter(let id):
            return (presenters[id]?.claimsInAnswer ?? []).sorted().map(Waiter.claim)
        }
    }

    private func wait(
        _ one: Waiter, _ other: Waiter, seenBy sight: CoordinationMessages.Sight
    ) -> Deadlock.Wait? {
        guard let waiter = owner(of: one), let holder = owner(of: other) else { return nil }
        let words: String
        switch (one, other) {
        case (.claim(let id), .claim(let blocker)):
            guard let claim = records[id]?.claim, let blocker = records[blocker]?.claim else { return nil }
            words =
                records[id]?.stage.isOpen == true
                ? CoordinationMessages.waits(claim, for: blocker, seenBy: sight)
                : CoordinationMessages.contains(claim, nested: blocker, seenBy: sight)
        case (.claim(let id), .presenter(let presenter)):
            guard let claim = records[id]?.claim else { return nil }
            words = CoordinationMessages.waits(
                claim, forAnswerOf: holder, to: presenters[presenter]?.current?.message, seenBy: sight)
        case (.presenter(let presenter), .claim(let id)):
            guard let claim = records[id]?.claim else { return nil }
            words = CoordinationMessages.answers(
                waiter, presenters[presenter]?.current?.message, with: claim, seenBy: sight)
        case (.presenter, .presenter): return nil
        }
        return Deadlock.Wait(waiter: waiter, holder: holder, from: one, to: other, description: words)
    }

    private func owner(of waiter: Waiter) -> ClaimOwner? {
        switch waiter {
        case .claim(let id): records[id]?.claim.owner
        case .presenter(let id): presenters[id]?.presenter.owner
        }
    }
}
