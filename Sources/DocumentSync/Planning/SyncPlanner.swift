package import DocumentModel

/// Compares the three trees and says what to do: a pure function, and the same one on every machine.
///
/// The provider decides what both sides changed: its places win over moves made here, and its current contents over
/// what began from older ones; what loses is kept under a name of its own. No plan deletes contents that the other
/// side has changed.
package struct SyncPlanner {
    /// What the engine knows beside the trees.
    package struct Circumstances: Hashable, Sendable {
        /// Operations that run; their items are left alone, and the names that they take count as taken.
        package var underWay: [SyncOperation] = []
        /// Operations that failed and are not to be tried yet.
        package var held: Set<SyncOperation> = []
        /// Deletions that somebody said yes to.
        package var approved: Set<ItemIdentifier> = []
        package var deletionGuard = DeletionGuard()
        /// Items whose contents somebody waits for, or wants kept here.
        package var wanted: Set<ItemIdentifier> = []
        /// Items whose contents may go from here.
        package var unwanted: Set<ItemIdentifier> = []

        package init() {}
    }

    let trees: SyncTrees
    let circumstances: Circumstances
    var plan = SyncPlan()

    var busy: Set<ItemIdentifier> = []
    /// Names that operations are taking, here and at the provider.
    var takenHere: Set<NameSlot> = []
    var takenThere: Set<NameSlot> = []

    var childrenHere: [ItemIdentifier: [ItemIdentifier]] = [:]
    var childrenThere: [ItemIdentifier: [ItemIdentifier]] = [:]
    /// Who shows a name here.
    var shownHere: [NameSlot: ItemIdentifier] = [:]
    /// Who holds a name at the provider: of several that clash the one with the smallest identifier, on all machines.
    var holders: [NameSlot: ItemIdentifier] = [:]
    /// Names that several have at the provider.
    var crowded: Set<NameSlot> = []

    var survivors: [ItemIdentifier: Bool] = [:]
    var leaving: [ItemIdentifier: Bool] = [:]
    var shadowed: [ItemIdentifier: Bool] = [:]
    var edges: [ItemIdentifier: Wait] = [:]
    var withheld: Set<ItemIdentifier> = []

    package static func plan(_ trees: SyncTrees, _ circumstances: Circumstances = Circumstances()) -> SyncPlan {
        var planner = SyncPlanner(trees: trees, circumstances: circumstances)
        return planner.run()
    }

    private init(trees: SyncTrees, circumstances: Circumstances) {
        self.trees = trees
        self.circumstances = circumstances
    }

    private mutating func run() -> SyncPlan {
        let identifiers = trees.identifiers
        look(at: identifiers)
        judgeDeletions(among: identifiers)
        for id in identifiers where id != trees.root && !busy.contains(id) && !isInsidePackage(id) { decide(id) }
        breakCircles()
        plan.waits = edges.mapValues(\.on)
        return plan
    }

    private mutating func look(at identifiers: [ItemIdentifier]) {
        for id in identifiers {
            if let here = trees.local[id]?.node {
                childrenHere[here.place.parentID, default: []].append(id)
                if !here.isHidden { shownHere[here.place.slot] = id }
            }
            if let there = trees.remote[id]?.node {
                childrenThere[there.place.parentID, default: []].append(id)
                let slot = there.place.slot
                if holders[slot] == nil { holders[slot] = id } else { crowded.insert(slot) }
            }
        }
        for operation in circumstances.underWay {
            busy.insert(operation.id)
            if case .identify(_, let id) = operation { busy.insert(id) }
            note(operation)
        }
    }

    private mutating func note(_ operation: SyncOperation) {
        guard let place = operation.takes else { return }
        if operation.side == .provider { takenThere.insert(place.slot) } else { takenHere.insert(place.slot) }
    }

    /// - Returns: false when the operation is not to be tried yet.
    @discardableResult mutating func emit(_ operation: SyncOperation) -> Bool {
        guard !circumstances.held.contains(operation), busy.insert(operation.id).inserted else { return false }
        if case .identify(_, let id) = operation { busy.insert(id) }
        note(operation)
        plan.operations.append(operation)
        return true
    }

    private var isCreating: Bool {
        circumstances.underWay.contains { if case .create = $0 { true } else { false } }
    }

    // MARK: One item

    private mutating func decide(_ id: ItemIdentifier) {
        switch (trees.remote[id], trees.local[id]) {
        case (.present(let there), .present(let here)):
            // What changed its kind under its identifier is somebody's mistake: nothing is done to it.
            guard there.kind == here.kind else { return }
            if there.kind != .folder, decideContents(id, here, there) { return }
            // To agree on the place would be to agree on the contents, too.
            if trees.synced[id] == nil, here.revision != nil { return }
            decidePlace(id, here, there)
            decidePresence(id, here, there)
        case (.present(let there), .gone): decideDeletionThere(id, there)
        case (.present(let there), nil):
            // Something that was agreed on, and that nobody looked for here yet, is no news.
            if trees.synced[id] == nil { arrive(id, there, from: nil) }
        case (.gone, .present(let here)): decideDeletionHere(id, here)
        case (.gone, .gone), (.gone, nil):
            // It may be what the answer to a creation will speak of.
            if !isCreating { emit(.forget(id)) }
        case (nil, .present(let here)):
            if trees.synced[id] == nil { create(id, here) }
        case (nil, .gone):
            if trees.synced[id] == nil { emit(.forget(id)) }
        case (nil, nil): break
        }
    }

    /// - Returns: whether there is something to do about the contents now.
    private mutating func decideContents(
        _ id: ItemIdentifier, _ here: SyncTrees.Local, _ there: SyncTrees.Remote
    ) -> Bool {
        guard let agreed = trees.synced[id] else {
            // Contents that no version is known of may be the remote's, or not.
            guard let revision = here.revision else { return false }
            return emit(.compare(id, version: there.version, revision: revision))
        }
        if let revision = here.revision, revision != agreed.revision {
            return agreed.version == there.version
                ? emit(.send(id, base: agreed.version, revision: revision))
                : emit(.compare(id, version: there.version, revision: revision))
        }
        // Contents that went, or a placeholder of what is not current any more.
        guard here.revision == nil, agreed.revision != nil || agreed.version != there.version else { return false }
        // A placeholder stands for whatever is current (DOWN-3).
        var now = agreed
        now.version = there.version
        now.revision = nil
        return emit(.agree(id, now))
    }

    /// Contents come because somebody wants them, and go when they are the remote's current ones and nobody does.
    private mutating func decidePresence(_ id: ItemIdentifier, _ here: SyncTrees.Local, _ there: SyncTrees.Remote) {
        guard here.kind != .folder, !here.isHidden, trees.synced[id] != nil, !trees.isChanged(id) else { return }
        let isCurrent = trees.isCurrent(id)
        if circumstances.wanted.contains(id) {
            if !isCurrent { emit(.fetch(id, version: there.version, replacing: here.revision)) }
        } else if circumstances.unwanted.contains(id), isCurrent {
            emit(.evict(id, here, version: there.version))
        }
    }

    /// Members of a package are contents of it: it is sent, fetched and compared as one document.
    private func isInsidePackage(_ id: ItemIdentifier) -> Bool {
        func isInside(_ parent: (ItemIdentifier) -> (ItemIdentifier, ItemKind)?) -> Bool {
            var next = parent(id)?.0
            // Trees from outside may have circles.
            var steps = 0
            while let current = next, current != trees.root, steps < 512 {
                guard let (above, kind) = parent(current) else { return false }
                if kind == .package { return true }
                next = above
                steps += 1
            }
            return false
        }
        return isInside { id in trees.local[id]?.node.map { ($0.place.parentID, $0.kind) } }
            || isInside { id in trees.remote[id]?.node.map { ($0.place.parentID, $0.kind) } }
    }
}
