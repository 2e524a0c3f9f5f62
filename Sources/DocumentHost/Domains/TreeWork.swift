import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Carries out in the tree on disk what the remote's changes ask for: moves and removals, under claims like anybody
/// else's.
struct TreeWork: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let work: WorkGroup
    let owner: ClaimOwner
    let logger: Logger
    /// What waits for something else to be carried out.
    private let delayed = DelayedWork()

    init(
        storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>, work: WorkGroup,
        owner: ClaimOwner, logger: Logger
    ) {
        self.storage = storage
        self.broker = broker
        self.locks = locks
        self.work = work
        self.owner = owner
        self.logger = logger
    }

    /// At once when nobody uses the item; else as soon as they have ended, while the caller goes on. Claims that are
    /// asked for later wait for it (COORD-4), so that they find the item in its new place.
    ///
    /// What cannot be carried out yet, because its place is still to be left by something else, is tried again
    /// whenever something else was; at the latest, the next start takes it up.
    func perform(_ entry: JournalEntry) async throws(DocumentError) {
        guard let id = entry.itemID, let item = try coordinated(id, in: entry.domain) else {
            await carryOut(entry)
            return
        }
        let intent = ClaimIntent.writing(entry.action == .remove ? .forDeleting : .forMoving)
        // Not while it is sent or provided either: that may take long, and the caller has others to see to.
        if !locks.isHeld(ItemKey(domain: entry.domain, id: id)),
            let claim = broker.claimWithoutWaiting(item, for: intent, by: owner)
        {
            defer { broker.end(claim) }
            await carryOut(entry)
            return
        }
        work.add { [self] in
            guard let claim = try? await broker.claim(item, for: intent, by: owner) else { return }
            defer { broker.end(claim) }
            await carryOut(entry)
        }
    }

    /// Takes up items that a provider told of, and what follows from them in the tree.
    func take(_ items: [Item], in domain: DomainName) async throws(DocumentError) -> ApplyOutcome {
        let outcome = try await storage.run { try $0.apply(items, in: domain, leavingWork: true) }
        for entry in outcome.work { try await perform(entry) }
        return outcome
    }

    private func carryOut(_ entry: JournalEntry) async {
        var next: JournalEntry? = entry
        while let entry = next {
            next = nil
            do throws(DocumentError) {
                try await performInTree(entry)
                next = delayed.takeFirst()
            } catch {
                logger.notice(
                    "a change of the remote is not carried out yet",
                    metadata: [
                        "domain": "\(entry.domain)", "item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)",
                    ])
                delayed.add(entry)
            }
        }
    }

    private func performInTree(_ entry: JournalEntry) async throws(DocumentError) {
        guard let id = entry.itemID else {
            return try await storage.run { try $0.perform(entry) }
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

/// Entries that could not be carried out yet, the oldest first.
private final class DelayedWork: Sendable {
    private let entries = Mutex<[JournalEntry]>([])

    func add(_ entry: JournalEntry) {
        entries.withLock { $0.append(entry) }
    }

    func takeFirst() -> JournalEntry? {
        entries.withLock { $0.isEmpty ? nil : $0.removeFirst() }
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
