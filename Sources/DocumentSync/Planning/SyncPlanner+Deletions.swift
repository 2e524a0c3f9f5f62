internal import DocumentModel

/// What goes, what stays because the other side changed it, and what needs a yes.
extension SyncPlanner {
    /// Deleted here, present there.
    mutating func decideDeletionThere(_ id: ItemIdentifier, _ there: SyncTrees.Remote) {
        guard let agreed = trees.synced[id] else {
            emit(.restore(id))
            return
        }
        guard isLeaving(id) else {
            // Changed there meanwhile, or something in it was (VER-15).
            if there.kind != .folder || (childrenThere[id] ?? []).contains(where: { !isLeavingOrMoving($0, from: id) })
            {
                emit(.restore(id))
            }
            return
        }
        if there.kind == .folder, let child = childrenThere[id]?.first { return wait(id, for: child, .other) }
        guard !withheld.contains(id) else { return }
        emit(.delete(id, base: agreed.version))
    }

    private mutating func isLeavingOrMoving(_ child: ItemIdentifier, from folder: ItemIdentifier) -> Bool {
        if isLeaving(child) { return true }
        guard let here = trees.local[child]?.node, let there = trees.remote[child]?.node, !here.isParked,
            trees.synced[child]?.place == there.place
        else { return false }
        return here.place.parentID != folder
    }

    /// Whether an item was deleted here, and nothing that is there now speaks against deleting it there.
    mutating func isLeaving(_ id: ItemIdentifier) -> Bool {
        if let known = leaving[id] { return known }
        guard case .gone = trees.local[id], let there = trees.remote[id]?.node, let agreed = trees.synced[id] else {
            return false
        }
        leaving[id] = false
        var result = there.version == agreed.version
        if result, there.kind == .folder {
            for child in childrenThere[id] ?? [] where !isLeavingOrMoving(child, from: id) { result = false }
        }
        leaving[id] = result
        return result
    }

    /// Gone there, present here.
    mutating func decideDeletionHere(_ id: ItemIdentifier, _ here: SyncTrees.Local) {
        if survives(id) {
            if here.isParked, let agreed = trees.synced[id] { return comeBack(id, here, to: agreed.place.name) }
            emit(.revive(id))
            return
        }
        if here.kind == .folder, let child = childrenHere[id]?.first { return wait(id, for: child, .other) }
        guard !withheld.contains(id) else { return }
        // What is hidden has no file.
        emit(here.isHidden ? .forget(id) : .remove(id, here))
    }

    /// What is made anew is made under its own name, not under the one that it has while it is out of the way.
    private mutating func comeBack(_ id: ItemIdentifier, _ here: SyncTrees.Local, to name: ItemName) {
        let own = SyncPlace(parentID: here.place.parentID, name: name)
        let mark = "conflict \(ConflictName.date(of: here.stamp))"
        let isFree = shownHere[own.slot] == nil && !takenHere.contains(own.slot)
        guard let place = isFree ? own : freePlace(beside: own, mark: mark, here: true) else { return }
        emit(.relocateHere(id, from: here.place, to: place, parked: false))
    }

    /// Whether something here must not go: contents that were changed, or what was made here, in it or below it.
    mutating func survives(_ id: ItemIdentifier) -> Bool {
        if let known = survivors[id] { return known }
        guard let here = trees.local[id]?.node else { return false }
        survivors[id] = false
        var result = trees.isChanged(id)
        if trees.synced[id] == nil, trees.remote[id] == nil { result = true }
        if !result, here.kind == .folder {
            for child in childrenHere[id] ?? [] where survives(child) { result = true }
        }
        survivors[id] = result
        return result
    }

    // MARK: The guard (CONT-13)

    mutating func judgeDeletions(among identifiers: [ItemIdentifier]) {
        var question = DeletionQuestion(atProvider: [], here: [])
        for id in identifiers {
            guard !circumstances.approved.contains(id) else { continue }
            if isLeaving(id) { question.atProvider.insert(id) }
            if case .gone = trees.remote[id], trees.local[id]?.node != nil, !survives(id) { question.here.insert(id) }
        }
        let count = trees.synced.count
        let rule = circumstances.deletionGuard
        if !rule.asks(question.atProvider.count, of: count) { question.atProvider = [] }
        if !rule.asks(question.here.count, of: count) { question.here = [] }
        withheld = question.all
        if !withheld.isEmpty { plan.question = question }
    }
}
