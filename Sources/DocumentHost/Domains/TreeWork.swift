import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

/// Carries out in the tree on disk what the remote's changes ask for: moves and removals, under claims like anybody
/// else's.
struct TreeWork: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let work: WorkGroup
    let owner: ClaimOwner
    let logger: Logger

    /// At once when nobody uses the item; else as soon as they have ended, while the caller goes on. Claims that are
    /// asked for later wait for it (COORD-4), so that they find the item in its new place.
    func perform(_ entry: JournalEntry) async throws(DocumentError) {
        guard let id = entry.itemID, let item = try coordinated(id, in: entry.domain) else {
            try await carryOut(entry)
            return
        }
        let intent = ClaimIntent.writing(entry.action == .remove ? .forDeleting : .forMoving)
        if let claim = broker.claimWithoutWaiting(item, for: intent, by: owner) {
            defer { broker.end(claim) }
            try await carryOut(entry)
            return
        }
        work.add { [self] in
            do throws(DocumentError) {
                let claim = try await broker.claim(item, for: intent, by: owner)
                defer { broker.end(claim) }
                try await carryOut(entry)
            } catch {
                // The entry stays open: the next start takes it up.
                logger.warning(
                    "a change of the remote is not carried out yet",
                    metadata: ["domain": "\(entry.domain)", "item.id": "\(id)", "error": "\(error)"])
            }
        }
    }

    private func carryOut(_ entry: JournalEntry) async throws(DocumentError) {
        guard let id = entry.itemID else {
            try await storage.run { try $0.perform(entry) }
            return
        }
        try await locks.withLock(ItemKey(domain: entry.domain, id: id)) { () async throws(DocumentError) in
            try await storage.run { try $0.perform(entry) }
        }
    }

    private func coordinated(_ id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> CoordinatedItem? {
        try storage.read { index in
            guard let item = try index.item(id, in: domain) else { return nil }
            return try index.coordinated(item)
        }
    }
}

extension IndexReader {
    /// An item as coordination sees it. Anything inside a package is the package (COORD-21).
    func coordinated(_ item: IndexedItem) throws -> CoordinatedItem {
        var key = item.key
        var ancestors: Set<ItemKey> = []
        var parent = item.item.parentID
        while let id = parent, let folder = try self.item(id, in: item.domain) {
            if folder.item.kind == .package {
                key = folder.key
                ancestors = []
            } else {
                ancestors.insert(folder.key)
            }
            parent = folder.item.parentID
        }
        let location = (try? self.location(of: item.id, in: item.domain)) ?? nil
        return CoordinatedItem(
            key: key, ancestors: ancestors, location: location ?? Location(domain: item.domain))
    }
}
