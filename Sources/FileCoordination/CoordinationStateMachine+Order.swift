import DocumentModel

/// Who waits for whom (COORD-1 to COORD-7, COORD-32, COORD-33, COORD-39).
extension CoordinationStateMachine {
    /// Why a claim is not even queued; nil when it may be.
    func refusal(of claim: Claim) -> DocumentError? {
        if let coordinator = claim.coordinator, isCancelled(coordinator) {
            return CoordinationMessages.cancelled(claim)
        }
        if claim.intentions.isEmpty {
            return DocumentError(.invalidArgument, "\(claim.owner) asked for access to nothing; name a document.")
        }
        if claim.style == .preparation {
            return claim.intentions.lazy.compactMap { CoordinationMessages.unpreparable($0, by: claim.owner) }.first
        }
        if let held = claim.intentions.first(where: { !$0.intent.isForUploading }),
            let uploaded = claim.intentions.first(where: \.intent.isForUploading)
        {
            return CoordinationMessages.unlike(uploaded, held, by: claim.owner)
        }
        for outer in claim.nestedIn.sorted() {
            // What the host does on a tool's behalf need only not wait for the tool.
            guard let outer = records[outer], outer.claim.style != .preparation, outer.claim.isWriting,
                !outer.stage.isOpen, outer.claim.owner == claim.owner
            else { continue }
            let subjects = Set(outer.claim.intentions.map(\.item.claimed))
            // COORD-33: except a read of the same item.
            if let refused = claim.intentions.first(where: {
                $0.intent.isWriting || !subjects.contains($0.item.claimed)
            }) {
                return CoordinationMessages.nested(claim, refused, inside: outer.claim)
            }
        }
        return nil
    }

    /// Whether a claim has to wait, or would if it were asked for now, told by whoever is found first.
    func firstBlock(of record: ClaimRecord) -> ClaimID? {
        let passes = passesQueue(record.claim)
        var first: ClaimID?
        forEachConflict(of: record.claim) { other, _ in
            guard isBlocked(record, by: other, passesQueue: passes) else { return true }
            first = other
            return false
        }
        return first
    }

    /// All that keep a claim waiting, in the order in which they were asked for.
    func allBlocks(of id: ClaimID) -> [ClaimRecord] {
        guard let record = records[id] else { return [] }
        let passes = passesQueue(record.claim)
        var found: Set<ClaimID> = []
        forEachConflict(of: record.claim) { other, _ in
            if isBlocked(record, by: other, passesQueue: passes) { found.insert(other) }
            return true
        }
        return found.sorted().compactMap { records[$0] }
    }

    private func isBlocked(_ record: ClaimRecord, by id: ClaimID, passesQueue: Bool) -> Bool {
        guard let other = records[id] else { return false }
        if other.stage.excludes { return !passesQueue || !record.claim.nestedIn.contains(id) }
        return other.stage.isOpen && other.rank < record.rank && !passesQueue
    }

    /// A read inside the same item's own accessor goes on: those that wait, wait for the outer one (COORD-33).
    func passesQueue(_ claim: Claim) -> Bool {
        guard !claim.isWriting, !claim.nestedIn.isEmpty else { return false }
        let outer = claim.nestedIn.compactMap { records[$0] }.filter(\.stage.excludes)
        return claim.intentions.allSatisfy { intention in
            outer.contains { $0.claim.intentions.contains { $0.item.claimed == intention.item.claimed } }
        }
    }

    /// Calls the closure with every claim that excludes this one, whoever was first, until it returns false.
    ///
    /// - Parameter body: gets the other one, and whether it lies inside a directory that this one moves (COORD-4).
    private func forEachConflict(of claim: Claim, _ body: (ClaimID, _ isInsideMove: Bool) -> Bool) {
        guard claim.style != .preparation else { return }
        func meets(_ ids: Set<ClaimID>, _ isInsideMove: Bool) -> Bool {
            for id in ids {
                guard id != claim.id, let other = records[id], !claim.neverWaits(for: other.claim) else { continue }
                guard body(id, isInsideMove) else { return false }
            }
            return true
        }
        for intention in claim.intentions {
            let item = intention.item
            if let node = tree[item.claimed] {
                guard meets(node.writers, false) else { return }
                if intention.intent.isWriting { guard meets(node.readers, false) else { return } }
            }
            for folder in item.aroundClaimed {
                guard let node = tree[folder.subject], !node.covering.isEmpty else { continue }
                guard meets(node.covering, false) else { return }
            }
            guard intention.covers else { continue }
            var goesOn = true
            tree.forEachInside(item.claimed) { node in
                goesOn =
                    meets(node.writers, intention.isMoveOfDirectory)
                    && meets(node.readers, intention.isMoveOfDirectory)
                return goesOn
            }
            guard goesOn else { return }
        }
    }

    // MARK: - Ranks

    /// A claim's place in the order: the last, but for two cases. The move of a directory goes before what is queued
    /// inside (COORD-4). A presenter's own claim goes before the one that it is answering to (COORD-32).
    mutating func rank(for claim: Claim) -> (rank: UInt64, overtakes: Bool) {
        let last = lastRank + Self.rankStep
        var after: UInt64 = 0
        var inside: [UInt64] = []
        var answered: [UInt64] = []
        forEachConflict(of: claim) { id, isInsideMove in
            guard let other = records[id], other.stage.isOpen else { return true }
            // What somebody waits for inside an accessor or an answer is not kept waiting for longer.
            let isFree = other.claim.nestedIn.isEmpty && other.claim.answering == nil
            if isAnswered(other, by: claim) {
                answered.append(other.rank)
            } else if isInsideMove, other.stage == .queued, isFree {
                inside.append(other.rank)
            } else {
                after = max(after, other.rank)
            }
            return true
        }
        guard let first = answered.min() ?? inside.filter({ $0 > after }).min() else {
            lastRank = last
            return (last, false)
        }
        if let rank = rankBelow(first) { return (rank, true) }
        renumber()
        return rank(for: claim)
    }

    /// A claim inside an accessor that only waits for those who in turn wait for the outer one goes before them: being
    /// the last in the order is no reason for a deadlock.
    mutating func letPass(_ id: ClaimID) -> Bool {
        guard let record = records[id], !record.claim.nestedIn.isEmpty, record.claim.answering == nil else {
            return false
        }
        var ranks: [UInt64] = []
        forEachConflict(of: record.claim) { other, _ in
            if let other = records[other], other.stage.isOpen { ranks.append(other.rank) }
            return true
        }
        guard let first = ranks.min(), first < record.rank else { return false }
        guard let rank = rankBelow(first) else {
            renumber()
            return letPass(id)
        }
        records[id]?.rank = rank
        if circle(from: id) == nil { return true }
        records[id]?.rank = record.rank
        return false
    }

    /// COORD-6: accesses of one coordinator never wait for each other, nor by way of others. Its owner may end the one that
    /// it has only when it has the next one, and nobody could know: this one goes before those who wait for that.
    mutating func letPassWithItsGroup(_ id: ClaimID) {
        guard let record = records[id], record.stage == .queued else { return }
        var before: [(id: ClaimID, rank: UInt64)] = []
        forEachConflict(of: record.claim) { other, _ in
            if let other = records[other], other.stage.isOpen, other.rank < record.rank {
                before.append((other.claim.id, other.rank))
            }
            return true
        }
        // Seldom: most claims meet nobody who waits.
        let group = before.isEmpty ? [] : group(of: record.claim)
        if group.isEmpty { return }
        before.sort { $0.rank < $1.rank }
        guard let first = before.first(where: { waits($0.id, inTheEndFor: group) }) else { return }
        guard let rank = rankBelow(first.rank) else {
            renumber()
            return letPassWithItsGroup(id)
        }
        records[id]?.rank = rank
        guard circle(from: id) == nil else {
            records[id]?.rank = record.rank
            return
        }
        revisits.append(id)
    }

    /// The other claims of the same connection that a claim never waits for.
    private func group(of claim: Claim) -> Set<ClaimID> {
        guard claim.coordinator != nil || claim.purpose != nil, claim.style != .preparation,
            let own = claimsByOwner[claim.owner]
        else { return [] }
        return own.filter { id in
            guard id != claim.id, let other = records[id]?.claim, other.style != .preparation else { return false }
            return claim.neverWaits(for: other)
        }
    }

    /// Whether the claim is of a presenter that still has to answer a message which the other one caused.
    private func isAnswered(_ other: ClaimRecord, by claim: Claim) -> Bool {
        guard let presenter = claim.presenter else { return false }
        return other.unanswered.contains { addressees[$0] == presenter }
    }

    private func rankBelow(_ rank: UInt64) -> UInt64? {
        let previous = open.lazy.compactMap { records[$0]?.rank }.filter { $0 < rank }.max() ?? 0
        return rank - previous < 2 ? nil : previous + (rank - previous) / 2
    }

    private mutating func renumber() {
        lastRank = 0
        for id in open.sorted(by: { (records[$0]?.rank ?? 0) < (records[$1]?.rank ?? 0) }) {
            lastRank += Self.rankStep
            records[id]?.rank = lastRank
        }
    }
}
