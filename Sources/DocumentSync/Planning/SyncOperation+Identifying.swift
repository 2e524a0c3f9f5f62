package import DocumentModel

extension SyncOperation {
    /// The same operation, now that the provider has named a folder that it speaks of.
    package func identifying(_ old: ItemIdentifier, as new: ItemIdentifier) -> SyncOperation {
        func follow(_ place: SyncPlace) -> SyncPlace {
            place.parentID == old ? SyncPlace(parentID: new, name: place.name) : place
        }
        func follow(_ node: SyncTrees.Local) -> SyncTrees.Local {
            var node = node
            node.place = follow(node.place)
            return node
        }
        switch self {
        case .relocateHere(let id, let from, let place, let parked):
            return .relocateHere(id, from: follow(from), to: follow(place), parked: parked)
        case .remove(let id, let node): return .remove(id, follow(node))
        case .hide(let id, let node): return .hide(id, follow(node))
        case .show(let id, let node): return .show(id, follow(node))
        case .evict(let id, let node, let version): return .evict(id, follow(node), version: version)
        case .keepBoth(let id, var divergence):
            divergence.copyPlace = follow(divergence.copyPlace)
            return .keepBoth(id, divergence)
        case .create, .send, .relocate, .delete, .compare, .fetch, .place, .agree, .forget, .identify, .revive,
            .restore:
            // What they name is known to the provider.
            return self
        }
    }
}
