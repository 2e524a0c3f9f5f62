package import DocumentModel

/// Who may read and write what, and who waits: the broker of all claims, without I/O.
///
/// Claims are granted first in, first out: one that must wait also holds back later ones that would have to wait for
/// it, so that a writer is not starved by readers.
package struct CoordinationStateMachine: Sendable {
    /// What the caller has to do.
    package enum Action: Hashable, Sendable {
        /// Let the claim's accessor run.
        case grant(ClaimID)
        /// Answer the claim with the error; it is gone.
        case refuse(ClaimID, DocumentError)
    }

    private var held: [ClaimID: Claim] = [:]
    /// In the order in which they were asked for.
    private var waiting: [Claim] = []
    /// The claims that touch an item: those on it, and for each of its ancestors. Keeps a request from looking at all.
    private var claimsByKey: [CoordinatedItem.Key: Set<ClaimID>] = [:]
    /// The claims on anything below a folder.
    private var claimsBelow: [CoordinatedItem.Key: Set<ClaimID>] = [:]

    package init() {}

    package var heldCount: Int { held.count }
    package var waitingCount: Int { waiting.count }

    /// The claims that are held on an item, or on what lies inside it when `contentsToo`.
    package func isClaimed(_ key: CoordinatedItem.Key, contentsToo: Bool = false) -> Bool {
        let touching = (claimsByKey[key] ?? []).union(contentsToo ? claimsBelow[key] ?? [] : [])
        return touching.contains { held[$0] != nil }
    }

    package func isHeld(_ id: ClaimID) -> Bool { held[id] != nil }

    /// A claim is asked for: it is granted at once, refused at once (COORD-33, COORD-39), or waits.
    package mutating func request(_ claim: Claim) -> [Action] {
        if claim.intent.isWriting,
            let outer = claim.nestedIn.compactMap({ held[$0] }).first(where: { $0.item.key == claim.item.key })
        {
            return [.refuse(claim.id, CoordinationMessages.nestedWrite(claim, inside: outer))]
        }
        let blockers = claimsBlocking(claim)
        guard !blockers.isEmpty else {
            hold(claim)
            return [.grant(claim.id)]
        }
        if let cycle = cycle(closedBy: claim, blockers: blockers) {
            return [.refuse(claim.id, CoordinationMessages.deadlock(claim, with: cycle))]
        }
        waiting.append(claim)
        index(claim)
        return []
    }

    /// An accessor has returned, or a waiting claim is given up. Unknown claims are ignored: they ended with their
    /// owner.
    package mutating func end(_ id: ClaimID) -> [Action] {
        remove(id)
        return grantWhatCanGo()
    }

    /// A connection ended: all that it held or waited for is gone (COORD-8, COORD-39).
    package mutating func ownerEnded(_ owner: ClaimOwner) -> [Action] {
        let ids = held.values.filter { $0.owner == owner }.map(\.id) + waiting.filter { $0.owner == owner }.map(\.id)
        for id in ids { remove(id) }
        return ids.isEmpty ? [] : grantWhatCanGo()
    }

    /// What a waiting claim waits for, in a sentence; nil when it does not wait.
    package func explanation(of id: ClaimID) -> String? {
        guard let claim = waiting.first(where: { $0.id == id }) else { return nil }
        return CoordinationMessages.waiting(claim, for: claimsBlocking(claim))
    }

    /// All waiting claims' explanations, oldest first.
    package var explanations: [String] { waiting.compactMap { explanation(of: $0.id) } }

    // MARK: - Who blocks whom

    private func claimsBlocking(_ claim: Claim) -> [Claim] {
        // A read inside the same item's own accessor goes on: those that wait for it, wait for the outer one (COORD-33).
        if !claim.intent.isWriting, claim.nestedIn.contains(where: { held[$0]?.item.key == claim.item.key }) {
            return []
        }
        var candidates = claimsByKey[claim.item.key] ?? []
        if claim.intent.coversContents { candidates.formUnion(claimsBelow[claim.item.key] ?? []) }
        for ancestor in claim.item.ancestors { candidates.formUnion(claimsByKey[ancestor] ?? []) }
        return candidates.sorted().compactMap { id -> Claim? in
            guard id != claim.id else { return nil }
            // Whoever holds it counts; of those that wait, only who asked before.
            guard let other = held[id] ?? (id < claim.id ? waiting.first { $0.id == id } : nil) else { return nil }
            return claim.mustWait(for: other) ? other : nil
        }
    }

    /// A claim that waits points at those that block it; one that is held points at the waiting ones that were asked
    /// for inside its accessor. A way from `blockers` back to a claim around the new one is a deadlock.
    private func cycle(closedBy claim: Claim, blockers: [Claim]) -> Claim? {
        guard !claim.nestedIn.isEmpty else { return nil }
        var pending = blockers
        var seen: Set<ClaimID> = []
        while let next = pending.popLast() {
            guard seen.insert(next.id).inserted else { continue }
            if claim.nestedIn.contains(next.id) { return blockers.first { !claim.nestedIn.contains($0.id) } ?? next }
            if held[next.id] == nil {
                pending += claimsBlocking(next)
            }
            pending += waiting.filter { $0.nestedIn.contains(next.id) }
        }
        return nil
    }

    // MARK: - Bookkeeping

    private mutating func grantWhatCanGo() -> [Action] {
        var actions: [Action] = []
        for claim in waiting where claimsBlocking(claim).isEmpty {
            waiting.removeAll { $0.id == claim.id }
            held[claim.id] = claim
            actions.append(.grant(claim.id))
        }
        return actions
    }

    private mutating func hold(_ claim: Claim) {
        held[claim.id] = claim
        index(claim)
    }

    private mutating func index(_ claim: Claim) {
        claimsByKey[claim.item.key, default: []].insert(claim.id)
        for ancestor in claim.item.ancestors { claimsBelow[ancestor, default: []].insert(claim.id) }
    }

    private mutating func remove(_ id: ClaimID) {
        let claim = held.removeValue(forKey: id) ?? waiting.first { $0.id == id }
        guard let claim else { return }
        waiting.removeAll { $0.id == id }
        claimsByKey.remove(id, from: claim.item.key)
        for ancestor in claim.item.ancestors { claimsBelow.remove(id, from: ancestor) }
    }
}

extension [CoordinatedItem.Key: Set<ClaimID>] {
    fileprivate mutating func remove(_ id: ClaimID, from key: CoordinatedItem.Key) {
        guard var ids = removeValue(forKey: key) else { return }
        ids.remove(id)
        if !ids.isEmpty { self[key] = ids }
    }
}
