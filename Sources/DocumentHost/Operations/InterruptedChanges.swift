import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization
import SystemPackage

/// What providers were asked for and had not acknowledged when the host ended: renames, moves, removals and new items. Only
/// the provider knows what became of them, so it is asked; nothing of it is asked for again (RS-5). What cannot be looked
/// up now stays in the journal, and is looked up when the provider can be asked.
final class InterruptedChanges: Sendable {
    private let entries: Mutex<[DomainName: [JournalEntry]]>
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let locks: KeyedLock<ItemKey>
    private let follower: ChangeFollower
    private let sources: LeftSources
    private let looks: SharedTransfers<DomainName, Void>
    /// How often something of a domain could not be looked up, one time after the other.
    private let failures = Mutex<[DomainName: Int]>([:])
    private let wakes: DomainWakes
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameters:
    ///   - pending: what the start has found in the journal.
    ///   - clock: counts from some moment, and never backwards.
    init(
        _ pending: [JournalEntry], storage: StorageThreads, domains: DomainRegistry, locks: KeyedLock<ItemKey>,
        follower: ChangeFollower, sources: LeftSources, looks: SharedTransfers<DomainName, Void>, work: WorkGroup,
        retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        let asked = pending.filter { [.rename, .remove, .export, .move].contains($0.action) }
        entries = Mutex(Dictionary(grouping: asked, by: \.domain))
        self.storage = storage
        self.domains = domains
        self.locks = locks
        self.follower = follower
        self.sources = sources
        self.looks = looks
        wakes = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// Looks up what is open of a domain, or of all. Of what cannot be looked up now the log tells.
    func settle(_ domain: DomainName?) async {
        let names = entries.withLock { $0.keys.sorted() }.filter { domain == nil || $0 == domain }
        // A provider that does not answer keeps no other domain waiting.
        await withTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { [self] in await lookOrTellLog(name) } }
        }
    }

    private func lookOrTellLog(_ name: DomainName) async {
        do throws(DocumentError) {
            try await look(name)
        } catch {
            logger.notice(
                "what became of an interrupted change is not known yet",
                metadata: ["domain": "\(name)", "error": "\(error)"])
        }
    }

    /// Before an item is sent: one that was to be removed, or a folder around it, may be gone, and must not be taken for
    /// one that somebody else has removed.
    func settleRemoval(of key: ItemKey) async throws(DocumentError) {
        let removals = entries.withLock { $0[key.domain] ?? [] }.filter { $0.action == .remove }
        guard !removals.isEmpty,
            let place = try storage.read({ try $0.location(of: key.id, in: key.domain) })?.components,
            removals.contains(where: { $0.itemID == key.id || place.starts(with: $0.payload.place ?? place) })
        else { return }
        try await look(key.domain)
    }

    /// A domain that goes takes its journal with it.
    func forget(_ domain: DomainName) {
        entries.withLock { $0[domain] = nil }
        failures.withLock { $0[domain] = nil }
    }

    // MARK: Looking

    private func look(_ name: DomainName) async throws(DocumentError) {
        try await looks.join(name, onProgress: nil) { [self] _ throws(DocumentError) in
            let domain = try domains.domain(name)
            var failure: DocumentError?
            for entry in entries.withLock({ $0[name] ?? [] }) {
                do throws(DocumentError) {
                    try await look(up: entry, domain)
                } catch {
                    if error.code == .cancelled { throw error }
                    // It is tried again, unless that would only fail again.
                    if [.transient, .resolvable].contains(error.code.errorClass) {
                        if failure?.code.errorClass != .transient { failure = error }
                        continue
                    }
                    logger.warning(
                        "what became of an interrupted change cannot be found out",
                        metadata: ["domain": "\(name)", "journal.step": "\(entry.step)", "error": "\(error)"])
                    try await storage.run { try $0.closeLookedUp(entry) }
                }
                entries.withLock { open in
                    open[name]?.removeAll { $0.id == entry.id }
                    if open[name]?.isEmpty == true { open[name] = nil }
                }
            }
            if let failure {
                tryAgain(name, after: failure)
                throw failure
            }
            failures.withLock { $0[name] = nil }
        }
    }

    /// What its provider has to resolve first is looked up when that says that it is.
    private func tryAgain(_ name: DomainName, after error: DocumentError) {
        let attempt = failures.withLock { failures in
            let attempt = (failures[name] ?? 0) + 1
            failures[name] = attempt
            return attempt
        }
        guard case .retry(let delay) = retry.decision(for: error, attempt: attempt, jitter: Double.random(in: 0...1))
        else { return }
        wakes.wake(name, at: clock() + delay) { [self] in await settle(name) }
    }

    private func look(up entry: JournalEntry, _ domain: Domain) async throws(DocumentError) {
        guard try storage.read({ try $0.journal() }).contains(where: { $0.id == entry.id && $0.action == entry.action })
        else { return }
        guard let id = entry.itemID else { return try await lookForNew(entry, domain) }
        guard let item = try storage.read({ try $0.item(id, in: domain.name) }), !item.isGone else {
            return try await storage.run { try $0.closeLookedUp(entry) }
        }
        var told: [Item]?
        do throws(DocumentError) {
            told = try await ItemLineage(storage: storage).ask(for: id, in: domain)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
        if let told {
            _ = try await follower.treeWork.take(told, in: domain.name)
            // Of what was to go with the folder, some may have gone.
            if entry.action == .remove, item.item.kind != .document { try await learn(item, domain) }
            try await storage.run { try $0.closeLookedUp(entry) }
        } else {
            let outcome = try await storage.run { try $0.recordGone(entry) }
            try await follower.treeWork.perform(outcome.work)
            try follower.treeWork.tell(of: outcome)
        }
        logger.notice(
            "what became of an interrupted change was looked up",
            metadata: [
                "domain": "\(domain.name)", "item.id": "\(id)", "action": "\(entry.action)",
                "found": told == nil ? "gone" : "there",
            ])
    }

    private func learn(_ folder: IndexedItem, _ domain: Domain) async throws(DocumentError) {
        // It may turn out that there is no feed.
        try await follower.catchUp(domain)
        guard !domain.hasFeed else { return }
        let inside = try storage.read { try $0.subtree(of: folder.id, in: domain.name) }
        for item in inside where item.item.kind != .document && !item.isGone {
            do throws(DocumentError) {
                try await follower.list(item.id, of: domain)
            } catch {
                // It is found missing in the listing of the folder around it.
                guard error.code == .noSuchItem else { throw error }
            }
        }
    }

    /// A document or folder that was to be made. Where something of its name is now, the provider says by the operation's
    /// name whether it is the one: for a move, whose source then goes.
    private func lookForNew(_ entry: JournalEntry, _ domain: Domain) async throws(DocumentError) {
        // Of a drop box nothing is told (PICK-13).
        guard let parent = entry.payload.parentID, let name = entry.payload.name, !domain.isDropBox else {
            return try await storage.run { try $0.closeLookedUp(entry) }
        }
        try await follower.catchUp(domain)
        if try storage.read({ try !$0.listing(of: parent, in: domain.name).isComplete }) || !domain.hasFeed {
            try await follower.list(parent, of: domain)
        }
        let isThere = try storage.read { try $0.holder(of: name, in: parent, of: domain.name)?.item.name == name }
        guard isThere, entry.action == .move,
            let export = try await storage.runOutside({ store, _ in try store.resumeMove(entry) })
        else { return try await storage.run { try $0.closeLookedUp(entry) } }
        do throws(DocumentError) {
            let item = try await domain.provider.create(
                ProviderCall.CreateCall(
                    parentID: parent, name: name, kind: export.kind, contentsPath: export.contents?.path.string,
                    modified: export.contents?.source?.modified, operation: export.operation))
            guard item.parentID == parent, item.kind.isFolder == export.kind.isFolder else {
                throw domain.provider.broken("put “\(name)” of \(domain.name) somewhere else")
            }
            // Listed by now: somebody may just be opening it.
            _ = try await locks.withLock(ItemKey(domain: domain.name, id: item.id)) {
                () async throws(DocumentError) in
                try await storage.run { try $0.finish(export, as: item, leavingSource: true) }
            }
            sources.removeLater([export.entry])
        } catch {
            // Somebody else's.
            guard error.code == .nameCollision else { throw error }
            try await storage.run { try $0.abandon(export) }
        }
    }
}
