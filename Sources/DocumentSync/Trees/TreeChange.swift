package import DocumentModel

/// One change of what is known, to be written down before anything is done because of it.
package enum TreeChange: Hashable, Sendable {
    /// Nil: nothing is known any more.
    case remote(ItemIdentifier, SyncTrees.Sighting<SyncTrees.Remote>?)
    case local(ItemIdentifier, SyncTrees.Sighting<SyncTrees.Local>?)
    case synced(ItemIdentifier, SyncTrees.Synced?)
    /// What is here under the first identifier is what the provider calls by the second.
    case identified(ItemIdentifier, as: ItemIdentifier)
}

extension SyncTrees {
    package mutating func apply(_ change: TreeChange) {
        switch change {
        case .remote(let id, let sighting): remote[id] = sighting
        case .local(let id, let sighting): local[id] = sighting
        case .synced(let id, let agreed): synced[id] = agreed
        case .identified(let old, let new): identify(old, as: new)
        }
    }

    private mutating func identify(_ old: ItemIdentifier, as new: ItemIdentifier) {
        guard old != new else { return }
        if let here = local.removeValue(forKey: old) { local[new] = here }
        if let agreed = synced.removeValue(forKey: old) { synced[new] = agreed }
        remote[old] = nil
        for (id, sighting) in local {
            guard case .present(var node) = sighting, node.place.parentID == old else { continue }
            node.place.parentID = new
            local[id] = .present(node)
        }
        for (id, agreed) in synced where agreed.place.parentID == old { synced[id]?.place.parentID = new }
    }
}
