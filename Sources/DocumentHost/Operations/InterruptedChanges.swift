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
    /// Moves whose sources are being looked at, which nobody waits for.
    private let takenUp = Mutex<[Int64: DomainName]>([:])
    private let work: WorkGroup
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
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// Looks up what is open of a domain, or of all. Of what cannot be looked up now the log tells.
    func settle(_ domain: DomainName?) async {
        let names = entries.withLock { $0.keys.sorted() }.filter { domain == nil || $0 == domain }
        await sideBySide(names) { [self] in await lookOrTellLog($0) }
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
            for entry in entries.withLock({ $0[name] ?? [] }) where !isTakenUp(entry) {
                do throws(DocumentError) {
                    guard try await look(up: entry, domain) else { continue }
                } catch {
                    guard try await mustGiveUp(entry, after: error) else {
                        if failure?.code.errorClass != .transient { failure = error }
                        continue
                    }
                }
                forget(entry)
            }
            if let failure {
                tryAgain(name, after: failure)
                throw failure
            }
            // What is still being looked at may fail, too.
            if !takenUp.withLock({ $0.values.contains(name) }) { failures.withLock { $0[name] = nil } }
        }
    }

    /// - Returns: false when it is tried again.
    private func mustGiveUp(
        _ entry: JournalEntry, after error: DocumentError
    ) async throws(DocumentError) -> Bool {
        if error.code == .cancelled { throw error }
        // Unless that would only fail again.
        if [.transient, .resolvable].contains(error.code.errorClass) { return false }
        logger.warning(
            "what became of an interrupted change cannot be found out",
            metadata: ["domain": "\(entry.domain)", "journal.step": "\(entry.step)", "error": "\(error)"])
        try await storage.run { try $0.closeLookedUp(entry) }
        return true
    }

    private func forget(_ entry: JournalEntry) {
        entries.withLock { open in
            open[entry.domain]?.removeAll { $0.id == entry.id }
            if open[entry.domain]?.isEmpty == true { open[entry.domain] = nil }
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

    /// - Returns: false when it goes on, and nobody waits for it.
    private func look(up entry: JournalEntry, _ domain: Domain) async throws(DocumentError) -> Bool {
        guard try storage.read({ try $0.journal() }).contains(where: { $0.id == entry.id && $0.action == entry.action })
        else { return true }
        guard let id = entry.itemID else { return try await lookForNew(entry, domain) }
        guard let item = try storage.read({ try $0.item(id, in: domain.name) }), !item.isGone else {
            try await storage.run { try $0.closeLookedUp(entry) }
            return true
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
        return true
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

    // MARK: What is new

    /// A document or folder that was to be made. Where something of its name is now, the provider says by the operation's
    /// name whether it is the one: for a move, whose source then goes.
    ///
    /// - Returns: as of ``look(up:_:)``.
    private func lookForNew(_ entry: JournalEntry, _ domain: Domain) async throws(DocumentError) -> Bool {
        // Of a drop box nothing is told (PICK-13).
        guard let parent = entry.payload.parentID, let name = entry.payload.name, !domain.isDropBox else {
            try await storage.run { try $0.closeLookedUp(entry) }
            return true
        }
        try await follower.catchUp(domain)
        if try storage.read({ try !$0.listing(of: parent, in: domain.name).isComplete }) || !domain.hasFeed {
            try await follower.list(parent, of: domain)
        }
        let isThere = try storage.read { try $0.holder(of: name, in: parent, of: domain.name)?.item.name == name }
        guard isThere, entry.action == .move else {
            try await storage.run { try $0.closeLookedUp(entry) }
            return true
        }
        if let export = try await storage.run({ try $0.resumeMove(entry, readingSource: false) }) {
            try await finish(export, of: domain)
            return true
        }
        // Its source may be on a disk or a network that gives no answer: what else there is to be looked up does not wait for it.
        takenUp.withLock { $0[entry.id] = domain.name }
        if !work.add({ [self] in await takeUp(entry) }) { takenUp.withLock { $0[entry.id] = nil } }
        return false
    }

    private func isTakenUp(_ entry: JournalEntry) -> Bool { takenUp.withLock { $0[entry.id] != nil } }

    /// A move of which only the source is left.
    private func takeUp(_ entry: JournalEntry) async {
        do throws(DocumentError) {
            do throws(DocumentError) {
                let export = try await storage.runOutside(
                    isAside: true,
                    late: { (store: DocumentStore, export: Export?) in
                        // It is looked for once more, after the next start.
                        if let contents = export?.contents { store.drop(contents) }
                    }
                ) { (store, _) throws -> Export? in try store.resumeMove(entry, readingSource: true) }
                if let export {
                    try await finish(export, of: try domains.domain(entry.domain))
                } else {
                    try await storage.run { try $0.closeLookedUp(entry) }
                }
            } catch {
                guard try await mustGiveUp(entry, after: error) else {
                    takenUp.withLock { $0[entry.id] = nil }
                    return tryAgain(entry.domain, after: error)
                }
            }
            forget(entry)
            takenUp.withLock { $0[entry.id] = nil }
        } catch {
            takenUp.withLock { $0[entry.id] = nil }
            logger.notice(
                "what became of an interrupted move is not known yet",
                metadata: ["domain": "\(entry.domain)", "error": "\(error)"])
        }
    }

    private func finish(_ export: Export, of domain: Domain) async throws(DocumentError) {
        do throws(DocumentError) {
            let item = try await domain.provider.create(
                ProviderCall.CreateCall(
                    parentID: export.parentID, name: export.name, kind: export.kind,
                    contentsPath: export.contents?.path.string, modified: export.contents?.source?.modified,
                    operation: export.operation))
            guard item.parentID == export.parentID, item.kind.isFolder == export.kind.isFolder else {
                throw domain.provider.broken("put “\(export.name)” of \(domain.name) somewhere else")
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
