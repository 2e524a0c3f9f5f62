internal import DocumentModel

/// Where things lie: arrivals from the remote, and moves and creations made here.
extension SyncPlanner {
    mutating func decidePlace(_ id: ItemIdentifier, _ here: SyncTrees.Local, _ there: SyncTrees.Remote) {
        let agreed = trees.synced[id]
        if here.place == there.place, !here.isHidden, !isShadowed(id) {
            if agreed?.place == there.place, !here.isParked { return }
            emit(.agree(id, agreement(there, agreed)))
        } else if let agreed, agreed.place == there.place, !here.isParked, !here.isHidden, here.place != there.place {
            depart(id, here, there, agreed)
        } else {
            arrive(id, there, from: here)
        }
    }

    private func agreement(_ there: SyncTrees.Remote, _ agreed: SyncTrees.Synced?) -> SyncTrees.Synced {
        SyncTrees.Synced(
            place: there.place, kind: there.kind, version: agreed?.version ?? there.version, revision: agreed?.revision)
    }

    // MARK: From the remote

    /// Brings an item here, or to where the remote has it.
    mutating func arrive(_ id: ItemIdentifier, _ there: SyncTrees.Remote, from here: SyncTrees.Local?) {
        if isShadowed(id) { return hide(id, there, here) }
        let parent = there.place.parentID
        guard parent == trees.root || isReady(parent) else {
            // Deleted here, while something else was put into it there.
            if case .gone = trees.local[parent], trees.remote[parent]?.node != nil, !busy.contains(parent) {
                emit(.restore(parent))
            }
            return wait(id, for: parent, .other)
        }
        if let here, here.kind == .folder, here.place.parentID != parent, let obstacle = misplacedAbove(id) {
            return wait(id, for: obstacle, .other)
        }
        let slot = there.place.slot
        if let occupant = shownHere[slot], occupant != id { return clear(occupant, for: id, there, isNew: here == nil) }
        guard !takenHere.contains(slot) else { return }
        guard let here else {
            emit(.place(id, there))
            return
        }
        if here.isHidden {
            var shown = here
            shown.place = there.place
            shown.isHidden = false
            emit(.show(id, shown))
        } else {
            emit(.relocateHere(id, from: here.place, to: there.place, parked: false))
        }
    }

    /// A folder that is here and at the provider, and shown.
    private func isReady(_ id: ItemIdentifier) -> Bool {
        guard let here = trees.local[id]?.node, trees.remote[id]?.node != nil else { return false }
        return !here.isHidden && here.kind != .document
    }

    /// A folder above an item, as the remote has it, that is not where the remote has it: moving into it could close a
    /// circle.
    private func misplacedAbove(_ id: ItemIdentifier) -> ItemIdentifier? {
        var next = trees.remote[id]?.node?.place.parentID
        var steps = 0
        while let current = next, current != trees.root, steps < 512 {
            guard let there = trees.remote[current]?.node, let here = trees.local[current]?.node,
                there.place.parentID == here.place.parentID
            else { return current }
            next = there.place.parentID
            steps += 1
        }
        return nil
    }

    /// Gets what has the name here out of the way, or waits until it goes by itself.
    private mutating func clear(
        _ occupant: ItemIdentifier, for id: ItemIdentifier, _ there: SyncTrees.Remote, isNew: Bool
    ) {
        guard !busy.contains(occupant), let node = trees.local[occupant]?.node else {
            return wait(id, for: occupant, .other)
        }
        switch trees.remote[occupant] {
        case nil where trees.synced[occupant] == nil:
            // Made on both sides: folders become one, contents are compared once they are one item.
            if isNew, node.kind == there.kind {
                emit(.identify(occupant, as: id))
            } else {
                rename(occupant, node)
            }
        case .present(let other) where other.place.slot != there.place.slot:
            if trees.synced[occupant]?.place == other.place, !node.isParked, node.place != other.place {
                // Somebody moved it here, where the remote has something else now.
                rename(occupant, node)
            } else {
                wait(id, for: occupant, .nameHere)
            }
        case .present: wait(id, for: occupant, .nameHere)
        // What goes may have to wait for what comes, when that is still below it.
        case .gone: wait(id, for: occupant, survives(occupant) ? .other : .nameHere)
        case nil: wait(id, for: occupant, .other)
        }
    }

    /// Gives something that was made or moved here a name that nobody has.
    private mutating func rename(_ id: ItemIdentifier, _ node: SyncTrees.Local) {
        guard
            let place = freePlace(
                beside: node.place, mark: "conflict \(ConflictName.date(of: node.stamp))", here: true)
        else { return }
        emit(.relocateHere(id, from: node.place, to: place, parked: false))
    }

    /// The same on every machine that knows the same.
    func freePlace(beside place: SyncPlace, mark: String, here: Bool) -> SyncPlace? {
        for attempt in 1...1000 {
            guard let name = try? ConflictName.make(for: place.name, mark: mark, attempt: attempt) else { return nil }
            let free = SyncPlace(parentID: place.parentID, name: name)
            let slot = free.slot
            if shownHere[slot] == nil, holders[slot] == nil, !takenHere.contains(slot), !takenThere.contains(slot) {
                return free
            }
        }
        return nil
    }

    // MARK: Clashes (CONT-12)

    /// Whether an item, or a folder above it, has its name at the provider beside another that holds it.
    mutating func isShadowed(_ id: ItemIdentifier) -> Bool {
        if let known = shadowed[id] { return known }
        guard let there = trees.remote[id]?.node else { return false }
        // For trees from outside that have circles.
        shadowed[id] = false
        var result = false
        if let holder = holders[there.place.slot], holder != id {
            plan.clashes[id] = holder
            result = true
        } else if there.place.parentID != trees.root {
            result = isShadowed(there.place.parentID)
        }
        shadowed[id] = result
        return result
    }

    private mutating func hide(_ id: ItemIdentifier, _ there: SyncTrees.Remote, _ here: SyncTrees.Local?) {
        if let here, here.isHidden, here.place == there.place {
            if trees.synced[id]?.place != there.place { emit(.agree(id, agreement(there, trees.synced[id]))) }
            return
        }
        // What was changed is sent first; what is below goes first.
        if trees.isChanged(id) { return }
        if let child = childrenHere[id]?.first(where: { trees.local[$0]?.node?.isHidden == false }) {
            return wait(id, for: child, .other)
        }
        let parent = there.place.parentID
        guard parent == trees.root || trees.local[parent]?.node != nil else { return wait(id, for: parent, .other) }
        var hidden = here ?? SyncTrees.Local(place: there.place, kind: there.kind)
        hidden.place = there.place
        hidden.isHidden = true
        hidden.isParked = false
        emit(.hide(id, hidden))
    }

    // MARK: From here

    mutating func create(_ id: ItemIdentifier, _ here: SyncTrees.Local) {
        // A placeholder that the provider never told of has no contents that could be sent.
        guard here.kind == .folder || here.revision != nil else { return }
        let parent = here.place.parentID
        if parent != trees.root, trees.remote[parent]?.node == nil { return wait(id, for: parent, .other) }
        if let occupant = holders[here.place.slot] { return wait(id, here, forNameOf: occupant) }
        guard !takenThere.contains(here.place.slot) else { return }
        emit(.create(id, here))
    }

    /// Tells the provider of a move or rename made here, or takes it back when that cannot be.
    private mutating func depart(
        _ id: ItemIdentifier, _ here: SyncTrees.Local, _ there: SyncTrees.Remote, _ agreed: SyncTrees.Synced
    ) {
        let parent = here.place.parentID
        if parent != trees.root {
            switch trees.remote[parent] {
            case .present:
                switch circle(from: parent, to: id) {
                case .none: break
                case .opens(let mover): return wait(id, for: mover, .other)
                case .stays: return arrive(id, there, from: here)
                }
            case .gone:
                if survives(parent) { return wait(id, for: parent, .other) }
                return arrive(id, there, from: here)
            case nil: return wait(id, for: parent, .other)
            }
        }
        let slot = here.place.slot
        if let occupant = holders[slot], occupant != id { return wait(id, here, forNameOf: occupant) }
        // Its name with other letters is what a clashing sibling has: the rename is taken back.
        if crowded.contains(slot), agreed.place.slot == slot { return arrive(id, there, from: here) }
        guard !takenThere.contains(slot) else { return }
        emit(.relocate(id, from: agreed.place, to: here.place))
    }

    /// What has the name at the provider goes, or comes here and finds it taken; what is not shown does neither.
    private mutating func wait(_ id: ItemIdentifier, _ here: SyncTrees.Local, forNameOf occupant: ItemIdentifier) {
        if isShadowed(occupant) {
            rename(id, here)
        } else {
            wait(id, for: occupant, .nameThere)
        }
    }

    private enum Circle {
        case none
        /// When an item in it, which was moved here too, is moved at the provider.
        case opens(ItemIdentifier)
        case stays
    }

    /// Whether an item would lie in itself at the provider.
    private func circle(from parent: ItemIdentifier, to id: ItemIdentifier) -> Circle {
        var next = parent
        var mover: ItemIdentifier?
        var steps = 0
        while next != trees.root, steps < 512 {
            if next == id { return mover.map(Circle.opens) ?? .stays }
            guard let there = trees.remote[next]?.node else { return .none }
            if mover == nil, let here = trees.local[next]?.node, let agreed = trees.synced[next], !here.isParked,
                agreed.place == there.place, here.place.parentID != there.place.parentID
            {
                mover = next
            }
            next = there.place.parentID
            steps += 1
        }
        return .none
    }
}
