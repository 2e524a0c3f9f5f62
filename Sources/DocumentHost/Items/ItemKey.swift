import DocumentModel
import DocumentStorage
import FileCoordination

/// An item, wherever it lies: what locks, transfers and claims go by.
typealias ItemKey = CoordinatedItem.Key

extension IdentityNews {
    /// What an item is called from now on, and no other one any more.
    var key: ItemKey {
        switch self {
        case .changed(let domain, former: _, let id), .appeared(let domain, let id): ItemKey(domain: domain, id: id)
        }
    }
}

extension IndexedItem {
    var key: ItemKey { ItemKey(domain: domain, id: id) }

    /// - Throws: `notPermitted` for what the remote lets nobody change.
    func requireWritable(at location: Location) throws(DocumentError) {
        guard !item.capabilities.contains(.write) else { return }
        throw DocumentError(.notPermitted, "\(location) is read-only on the remote.")
    }

    /// Whether contents of the version that the provider last told are here, or newer ones of our own.
    var isCurrent: Bool {
        switch state {
        case .materialised, .changed, .sending, .conflict: local != nil
        case .placeholder, .materialising, .outdated, .nameClash: false
        }
    }
}
