internal import DocumentModel
internal import DocumentSync

/// A provider and a disk where nothing goes wrong: what the planner's operations do when they are carried out.
///
/// Contents are numbers; a version is that number's bytes, and so is the revision of a file.
struct IdealWorld {
    struct There: Equatable {
        var place: SyncPlace
        var kind: ItemKind
        var version: [UInt8]
        var stamp: VersionStamp
    }

    private(set) var there: [ItemIdentifier: There] = [:]
    private(set) var here: [ItemIdentifier: SyncTrees.Local] = [:]
    let root: ItemIdentifier
    private var lastItem = 0

    init(_ trees: SyncTrees) {
        root = trees.root
        for (id, sighting) in trees.remote {
            guard let node = sighting.node else { continue }
            there[id] = There(place: node.place, kind: node.kind, version: node.version, stamp: node.stamp)
        }
        for (id, sighting) in trees.local { here[id] = sighting.node }
    }

    /// What the engine writes down has names of its own for the same things.
    mutating func follow(_ changes: [TreeChange]) {
        for case .identified(let old, let new) in changes where old != new {
            if let node = here.removeValue(forKey: old) { here[new] = node }
            for (id, node) in here where node.place.parentID == old { here[id]?.place.parentID = new }
        }
    }

    mutating func carryOut(_ operation: SyncOperation) throws(DocumentError) -> SyncAnswer {
        let id = operation.id
        switch operation {
        case .create(_, let node):
            lastItem += 1
            let made = try ItemIdentifier("made\(lastItem)")
            try check(node.place, for: made)
            there[made] = There(
                place: node.place, kind: node.kind, version: node.revision.map(PlannerCase.bytes) ?? [],
                stamp: node.stamp)
            return .item(made, remote(made))
        case .send(_, let base, let revision):
            guard let item = there[id] else { throw DocumentError(.noSuchItem, "gone") }
            guard item.version == base else { throw DocumentError(.versionNoLongerAvailable, "changed") }
            there[id]?.version = PlannerCase.bytes(revision)
            there[id]?.stamp = here[id]?.stamp ?? .zero
            return .item(id, remote(id))
        case .relocate(_, let from, let place):
            guard there[id]?.place == from else { throw DocumentError(.versionNoLongerAvailable, "moved") }
            try check(place, for: id)
            there[id]?.place = place
            return .item(id, remote(id))
        case .delete(_, let base):
            guard let item = there[id] else { throw DocumentError(.noSuchItem, "gone") }
            guard item.version == base else { throw DocumentError(.versionNoLongerAvailable, "changed") }
            guard !there.values.contains(where: { $0.place.parentID == id }) else {
                throw DocumentError(.directoryNotEmpty, "not empty")
            }
            there[id] = nil
            return .deleted
        case .compare(_, _, let revision):
            return .compared(remote(id), PlannerCase.bytes(revision) == there[id]?.version ? .same : .different)
        case .fetch(_, let version, _):
            here[id]?.revision = PlannerCase.token(version)
            return try seen(id)
        case .place(_, let node):
            return try put(SyncTrees.Local(place: node.place, kind: node.kind), id)
        case .relocateHere(_, let from, let place, let parked):
            guard var node = here[id], node.place == from else { throw DocumentError(.localStorage, "moved") }
            node.place = place
            node.isParked = parked
            return try put(node, id)
        case .remove:
            guard !here.values.contains(where: { $0.place.parentID == id }) else {
                throw DocumentError(.localStorage, "not empty")
            }
            here[id] = nil
            return .removed
        case .hide(_, let node), .show(_, let node):
            var node = node
            if node.isHidden { node.revision = nil }
            return try put(node, id)
        case .evict:
            here[id]?.revision = nil
            return try seen(id)
        case .keepBoth(_, let divergence): return try keepBoth(id, divergence)
        case .agree, .forget, .identify, .revive, .restore: throw DocumentError(.internal, "not for the world")
        }
    }

    private mutating func keepBoth(
        _ id: ItemIdentifier, _ divergence: SyncOperation.Divergence
    ) throws(DocumentError) -> SyncAnswer {
        guard var node = here[id] else { throw DocumentError(.localStorage, "gone") }
        var copy = node
        copy.place = divergence.copyPlace
        if divergence.keepsOurs {
            copy.revision = PlannerCase.token(divergence.theirs.version)
            copy.stamp = divergence.theirs.stamp
        } else {
            node.revision = nil
            here[id] = node
        }
        _ = try put(copy, divergence.copyID)
        return .keptBoth(copy: copy)
    }

    private func remote(_ id: ItemIdentifier) -> SyncTrees.Remote {
        guard let item = there[id] else {
            return .init(place: .init(parentID: root, name: PlannerCase.names[0]), kind: .document, version: [])
        }
        return .init(place: item.place, kind: item.kind, version: item.version, stamp: item.stamp)
    }

    private func seen(_ id: ItemIdentifier) throws(DocumentError) -> SyncAnswer {
        guard let node = here[id] else { throw DocumentError(.localStorage, "gone") }
        return .here(node)
    }

    private mutating func put(_ node: SyncTrees.Local, _ id: ItemIdentifier) throws(DocumentError) -> SyncAnswer {
        if !node.isHidden {
            let key = PlannerCase.folded(node.place.name)
            for (other, known) in here where other != id && !known.isHidden {
                guard known.place.parentID != node.place.parentID || PlannerCase.folded(known.place.name) != key else {
                    throw DocumentError(.localStorage, "The name is taken.")
                }
            }
        }
        guard node.place.parentID == root || here[node.place.parentID] != nil else {
            throw DocumentError(.localStorage, "no folder")
        }
        here[id] = node
        try checkCircle(id, { here[$0]?.place.parentID })
        return .here(node)
    }

    private func check(_ place: SyncPlace, for id: ItemIdentifier) throws(DocumentError) {
        guard place.parentID == root || there[place.parentID] != nil else {
            throw DocumentError(.noSuchItem, "no folder")
        }
        for (other, item) in there where other != id && item.place == place {
            throw DocumentError(.nameCollision, "taken by \(other)")
        }
        var moved = there
        moved[id]?.place = place
        try checkCircle(id, { moved[$0]?.place.parentID })
    }

    private func checkCircle(
        _ id: ItemIdentifier, _ parent: (ItemIdentifier) -> ItemIdentifier?
    ) throws(DocumentError) {
        var next = parent(id)
        while let current = next, current != root {
            guard current != id else { throw DocumentError(.localStorage, "\(id) would lie in itself") }
            next = parent(current)
        }
    }
}
