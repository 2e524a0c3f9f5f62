import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// What was done here at once, and its providers hear of as soon as they can be asked: items that were removed, each in the
/// version that was removed, so that what the remote has changed since stays and comes back (VER-15); items that were given
/// other places.
final class Backlog: Sendable {
    /// Why one of them was not told.
    enum Untold: Sendable {
        /// A folder has to be sent first.
        case awaitsFolder
        /// It cannot be told now; others can, perhaps.
        case failed(DocumentError)
    }

    /// So many that cannot be told one after the other are no accident.
    private static let mostFailures = 8
    /// Should nobody say that a folder was sent.
    private static let folderPatience = Duration.seconds(60)

    private let lines: Mutex<[DomainName: BacklogLine]>
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    private let domains: DomainRegistry
    let follower: ChangeFollower
    let treeWork: TreeWork
    let deletions: DeletionDesk
    let sender: Sender
    let folders: FolderReviver
    let rounds: SharedTransfers<DomainName, Void>
    private let wakes: DomainWakes
    private let work: WorkGroup
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    let logger: Logger

    /// - Parameter pending: what the start has found in the journal.
    init(
        _ pending: [JournalEntry], storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>,
        domains: DomainRegistry, follower: ChangeFollower, deletions: DeletionDesk, sender: Sender,
        folders: FolderReviver, rounds: SharedTransfers<DomainName, Void>, work: WorkGroup, retry: RetryPolicy,
        clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        let open = Dictionary(grouping: pending.filter { [.drop, .relocate].contains($0.action) }, by: \.domain)
        lines = Mutex(open.mapValues { BacklogLine(open: $0) })
        self.storage = storage
        self.broker = broker
        self.locks = locks
        self.domains = domains
        self.follower = follower
        treeWork = follower.treeWork
        self.deletions = deletions
        self.sender = sender
        self.folders = folders
        self.rounds = rounds
        wakes = DomainWakes(work: work, clock: clock)
        self.work = work
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// Tells the provider, in the background.
    func add(_ entries: [JournalEntry], of domain: DomainName) {
        guard !entries.isEmpty else { return }
        lines.withLock { $0[domain, default: BacklogLine()].add(entries) }
        work.add { [self] in await settle(domain) }
    }

    /// What a provider has not heard of yet.
    func entries(of domain: DomainName) -> [JournalEntry] { lines.withLock { $0[domain]?.open ?? [] } }

    /// How many a provider has not heard of yet.
    func count(of domain: DomainName) -> Int { lines.withLock { $0[domain]?.open.count ?? 0 } }

    /// Whether something is tried again by itself that is worth waiting for.
    var isBusy: Bool { lines.withLock { $0.values.contains(where: \.awaitsRetry) } }

    /// What was made here, or is gone at its provider and was made there anew, is known to that by now.
    func itemsWereMade(in domain: DomainName) {
        let open = entries(of: domain)
        if open.contains(where: \.namesArriving) { reread(domain) }
        // It may have been made where it was when that was asked for before a crash.
        let known = Set(open.map(\.id))
        add((try? storage.read { try $0.relocations(in: domain) })?.filter { !known.contains($0.id) } ?? [], of: domain)
        guard lines.withLock({ $0[domain]?.awaitsFolder ?? false }) else { return }
        work.add { [self] in await settle(domain) }
    }

    /// What was removed or moved while it was sent need not wait any longer.
    func sendingEnded(_ key: ItemKey) {
        guard entries(of: key.domain).contains(where: { $0.itemID == key.id }) else { return }
        work.add { [self] in await settle(key.domain) }
    }

    /// Whether something was moved to below a folder here, and its provider has not heard of it.
    func holdsMoved(below folder: Location) throws(DocumentError) -> Bool {
        let open = lines.withLock { $0[folder.domain]?.open ?? [] }.filter { $0.action == .relocate }
        guard !open.isEmpty else { return false }
        return try storage.read { index in
            try open.contains { entry in
                guard let item = try index.subject(of: entry, in: folder.domain),
                    let place = try index.location(of: item.id, in: folder.domain)
                else { return false }
                return place.components.starts(with: folder.components)
            }
        }
    }

    /// Carries out what can be, of a domain, or of all; the rest is tried again later.
    func settle(_ domain: DomainName?) async {
        let names = lines.withLock { $0.keys.sorted() }.filter { domain == nil || $0 == domain }
        await sideBySide(names) { [self] in await carryOutOrTryAgain($0) }
    }

    private func carryOutOrTryAgain(_ name: DomainName) async {
        do throws(DocumentError) {
            try await carryOut(name)
        } catch {
            logger.notice(
                "what was done here waits for its provider", metadata: ["domain": "\(name)", "error": "\(error)"])
            tryAgain(name, after: error)
        }
    }

    /// A domain that goes takes its journal with it.
    func forget(_ domain: DomainName) { lines.withLock { $0[domain] = nil } }

    // MARK: -

    /// A round that is just ending has not seen what was added since it looked last.
    func carryOut(_ name: DomainName) async throws(DocumentError) {
        repeat { try await carryOutRound(name) } while lines.withLock({ $0[name]?.isUnseen ?? false })
    }

    private func carryOutRound(_ name: DomainName) async throws(DocumentError) {
        try await rounds.join(name, onProgress: nil) { [self] _ throws(DocumentError) in
            let domain = try domains.domain(name)
            var order = BacklogOrder()
            var (failure, failures): (DocumentError?, Int) = (nil, 0)
            var awaitsFolder = false
            while true {
                let batch = order.next(of: lines.withLock { $0[name]?.look() ?? [] })
                guard !batch.isEmpty else { break }
                let untold = try await tell(batch, on: domain)
                if untold.count < batch.count { failures = 0 }
                for (entry, reason) in untold {
                    switch reason {
                    case .awaitsFolder:
                        order.putOff.insert(entry.id)
                        awaitsFolder = true
                    case .failed(let error):
                        order.putOff.insert(entry.id)
                        failure = failure ?? error
                        failures += 1
                        guard failures < Self.mostFailures else { throw error }
                    }
                }
            }
            lines.withLock { lines in
                lines[name]?.awaitsFolder = awaitsFolder
                lines[name]?.awaitsRetry = false
            }
            if let failure {
                tryAgain(name, after: failure)
            } else if awaitsFolder {
                wakes.wake(name, at: clock() + Self.folderPatience) { [self] in await settle(name) }
            }
        }
    }

    /// - Returns: those that were not told.
    /// - Throws: what keeps all of the domain from being told.
    private func tell(
        _ batch: [JournalEntry], on domain: Domain
    ) async throws(DocumentError) -> [(JournalEntry, Untold)] {
        let results = await withTaskGroup(of: (JournalEntry, Result<Untold?, DocumentError>).self) { group in
            for entry in batch {
                group.addTask { [self] in
                    do throws(DocumentError) {
                        guard entry.action == .relocate else {
                            return (entry, .success(try await drop(entry, on: domain)))
                        }
                        return (entry, .success(try await relocate(entry, on: domain)))
                    } catch {
                        return (entry, .failure(error))
                    }
                }
            }
            var results: [(JournalEntry, Result<Untold?, DocumentError>)] = []
            for await result in group { results.append(result) }
            return results
        }
        var untold: [(JournalEntry, Untold)] = []
        var obstacle: DocumentError?
        for (entry, result) in results {
            switch result {
            // Also when there is an obstacle for others.
            case .success(nil): done(entry)
            case .success(let reason?): untold.append((entry, reason))
            case .failure(let error) where error.isObstacle: obstacle = error
            case .failure(let error): untold.append((entry, .failed(error)))
            }
        }
        if let obstacle { throw obstacle }
        return untold
    }

    private func done(_ entry: JournalEntry) {
        lines.withLock { lines in
            lines[entry.domain]?.open.removeAll { $0.id == entry.id }
            lines[entry.domain]?.failures = 0
            if lines[entry.domain]?.open.isEmpty == true { lines[entry.domain] = nil }
        }
    }

    /// - Returns: why it was not told.
    private func drop(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Untold? {
        guard try await settleCalledOff(entry, on: domain) else {
            return .failed(DocumentError(.busy, "What was removed is just being sent."))
        }
        try await dropSettled(entry, on: domain)
        return nil
    }

    private func dropSettled(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) {
        // A folder around it may have been moved there since, and it may have another identifier by that.
        guard let entry = try storage.read({ try $0.open(entry) }) else { return }
        guard let id = entry.itemID, !id.isArriving, let base = entry.payload.base,
            let operation = entry.payload.operation
        else {
            return try await storage.run { try $0.finishDropping(entry) }
        }
        let call = ProviderCall.DeleteCall(
            id: id, baseVersion: entry.payload.kind == .document ? base.contentOnly : .none, recursive: false,
            operation: operation)
        var there: Item?
        do throws(DocumentError) {
            // Against no version all would go, also what nobody here has seen: as if it had been changed since, it comes back.
            guard entry.payload.kind != .document || !base.content.isEmpty else {
                throw DocumentError(
                    .versionNoLongerAvailable, "Nobody knows which version of it was removed.", itemID: id)
            }
            try await onceMoreAfterDeath { () async throws(DocumentError) in try await domain.provider.delete(call) }
        } catch {
            let refusal = error
            if [.transient, .resolvable].contains(refusal.code.errorClass) || refusal.code == .cancelled {
                throw refusal
            }
            if refusal.code != .noSuchItem { there = try await lookIfAllowed(id, on: domain) }
            if there != nil {
                logger.notice(
                    "what was removed here stays, as the remote has it",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(id)", "error": "\(refusal)"])
            }
        }
        try await storage.run { try $0.finishDropping(entry) }
        if let there { _ = try await treeWork.take([there], in: domain.name) }
    }

    /// Folders have other identifiers by now: entries name them by those.
    func reread(_ domain: DomainName) {
        let open = entries(of: domain)
        do throws(DocumentError) {
            let now = try storage.read { index in
                try Dictionary(open.compactMap { try index.open($0) }.map { ($0.id, $0) }) { $1 }
            }
            lines.withLock { lines in
                guard let known = lines[domain]?.open else { return }
                lines[domain]?.open = known.map { now[$0.id] ?? $0 }
            }
        } catch {
            logger.error(
                "what was done here could not be read", metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }

    func look(_ id: ItemIdentifier, on domain: Domain) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            return try await domain.provider.item(id)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return nil
        }
    }

    /// - Returns: nil also when nothing can be known of it: what its provider tells of it counts again anyway.
    func lookIfAllowed(_ id: ItemIdentifier, on domain: Domain) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            return try await look(id, on: domain)
        } catch {
            guard error.code.errorClass == .caller, error.code != .cancelled else { throw error }
            return nil
        }
    }

    private func tryAgain(_ name: DomainName, after error: DocumentError) {
        let attempt = lines.withLock { lines -> Int? in
            lines[name]?.failures += 1
            return lines[name]?.failures
        }
        guard let attempt, error.code != .cancelled,
            case .retry(let delay) = retry.decision(for: error, attempt: attempt, jitter: Double.random(in: 0...1))
        else { return lines.withLock { $0[name]?.awaitsRetry = false } }
        lines.withLock { $0[name]?.awaitsRetry = true }
        wakes.wake(name, at: clock() + delay) { [self] in await settle(name) }
    }
}

extension JournalEntry {
    /// Whether it names an item or a folder by what it was called before it was sent.
    fileprivate var namesArriving: Bool {
        [itemID, payload.parentID, payload.originID].contains { $0?.isArriving ?? false }
    }
}

extension DocumentError {
    /// Whether it is about all of a domain, and not about one item.
    fileprivate var isObstacle: Bool {
        switch code {
        case .cancelled, .serverUnreachable, .notAuthenticated, .insufficientQuota, .providerUnavailable,
            .notConfigured:
            true
        default: false
        }
    }
}
