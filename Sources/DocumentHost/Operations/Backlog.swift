import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// What was done here at once, and its providers hear of as soon as they can be asked: items that were removed, each in the
/// version that was removed, so that what the remote has changed since stays and comes back (VER-15); documents that were given
/// other places.
final class Backlog: Sendable {
    private struct Line {
        var open: [JournalEntry] = []
        var failures = 0
        /// Something goes into a folder that is still to be sent.
        var awaitsFolder = false
        /// It is tried again by itself soon.
        var awaitsRetry = false
    }

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

    private let lines: Mutex<[DomainName: Line]>
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    private let domains: DomainRegistry
    let treeWork: TreeWork
    let sender: Sender
    private let rounds: SharedTransfers<DomainName, Void>
    private let wakes: DomainWakes
    private let work: WorkGroup
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    let logger: Logger

    /// - Parameter pending: what the start has found in the journal.
    init(
        _ pending: [JournalEntry], storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>,
        domains: DomainRegistry, treeWork: TreeWork, sender: Sender,
        rounds: SharedTransfers<DomainName, Void>, work: WorkGroup, retry: RetryPolicy,
        clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        let open = Dictionary(grouping: pending.filter { [.drop, .relocate].contains($0.action) }, by: \.domain)
        lines = Mutex(open.mapValues { Line(open: $0) })
        self.storage = storage
        self.broker = broker
        self.locks = locks
        self.domains = domains
        self.treeWork = treeWork
        self.sender = sender
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
        lines.withLock { $0[domain, default: Line()].open += entries }
        work.add { [self] in await settle(domain) }
    }

    /// What a provider has not heard of yet.
    func entries(of domain: DomainName) -> [JournalEntry] { lines.withLock { $0[domain]?.open ?? [] } }

    /// How many a provider has not heard of yet.
    func count(of domain: DomainName) -> Int { lines.withLock { $0[domain]?.open.count ?? 0 } }

    /// Whether something is tried again by itself that is worth waiting for.
    var isBusy: Bool { lines.withLock { $0.values.contains(where: \.awaitsRetry) } }

    /// A folder that was made here is known to its provider by now.
    func folderWasSent(in domain: DomainName) {
        guard lines.withLock({ $0[domain]?.awaitsFolder ?? false }) else { return }
        work.add { [self] in await settle(domain) }
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
        for name in lines.withLock({ $0.keys.sorted() }) where domain == nil || name == domain {
            do throws(DocumentError) {
                try await carryOut(name)
            } catch {
                logger.notice(
                    "what was done here waits for its provider", metadata: ["domain": "\(name)", "error": "\(error)"])
                tryAgain(name, after: error)
            }
        }
    }

    /// Before an item is sent: what lay at its place, or around it, must not be in its way.
    func settle(before key: ItemKey) async throws(DocumentError) {
        let open = lines.withLock { $0[key.domain]?.open ?? [] }
        guard !open.isEmpty, let place = try storage.read({ try $0.location(of: key.id, in: key.domain) }),
            open.contains(where: { Self.isInTheWay($0, of: place) })
        else { return }
        try await carryOut(key.domain)
        // What has to wait for something else may be in the way still.
        guard !lines.withLock({ $0[key.domain]?.open ?? [] }).contains(where: { Self.isInTheWay($0, of: place) }) else {
            throw DocumentError(
                .busy, "\(place) is sent when its provider has heard of what was there before; wait a moment.")
        }
    }

    /// Before a provider is asked to do something at a place: what was done there, around it, or in it, it is to hear first,
    /// where it can be asked.
    func settle(at place: Location) async {
        let open = lines.withLock { $0[place.domain]?.open ?? [] }
        guard open.contains(where: { Self.isInTheWay($0, of: place) || Self.lies($0, in: place) }) else { return }
        await settle(place.domain)
    }

    /// Remotes may take names for the same that differ by case or Unicode form.
    private static func isInTheWay(_ entry: JournalEntry, of place: Location) -> Bool {
        let components = place.components.map { FoldedName($0) }
        return entry.leftPlaces.contains { !$0.isEmpty && components.starts(with: $0) }
    }

    private static func lies(_ entry: JournalEntry, in place: Location) -> Bool {
        [entry.payload.place, entry.payload.destination].contains { $0?.starts(with: place.components) ?? false }
    }

    /// A domain that goes takes its journal with it.
    func forget(_ domain: DomainName) { lines.withLock { $0[domain] = nil } }

    // MARK: -

    private func carryOut(_ name: DomainName) async throws(DocumentError) {
        try await rounds.join(name, onProgress: nil) { [self] _ throws(DocumentError) in
            let domain = try domains.domain(name)
            var order = BacklogOrder()
            var (failure, failures): (DocumentError?, Int) = (nil, 0)
            var awaitsFolder = false
            while true {
                let batch = order.next(of: lines.withLock { $0[name]?.open ?? [] })
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
                            try await drop(entry, on: domain)
                            return (entry, .success(nil))
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

    private func drop(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) {
        guard let id = entry.itemID, let base = entry.payload.base, let operation = entry.payload.operation else {
            return try await storage.run { try $0.finishDropping(entry) }
        }
        let call = ProviderCall.DeleteCall(
            id: id, baseVersion: entry.payload.kind == .document ? base.contentOnly : .none, recursive: false,
            operation: operation)
        var there: Item?
        do throws(DocumentError) {
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
