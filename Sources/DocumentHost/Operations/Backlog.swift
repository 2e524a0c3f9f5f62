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
    }

    private let lines: Mutex<[DomainName: Line]>
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    private let domains: DomainRegistry
    private let treeWork: TreeWork
    private let rounds: SharedTransfers<DomainName, Void>
    private let wakes: DomainWakes
    private let work: WorkGroup
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    let logger: Logger

    /// - Parameter pending: what the start has found in the journal.
    init(
        _ pending: [JournalEntry], storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>,
        domains: DomainRegistry, treeWork: TreeWork,
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

    /// How many a provider has not heard of yet.
    func count(of domain: DomainName) -> Int { lines.withLock { $0[domain]?.open.count ?? 0 } }

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
        guard let removed = entry.payload.place, !removed.isEmpty else { return false }
        return place.components.map { FoldedName($0) }.starts(with: removed.map { FoldedName($0) })
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
            while true {
                let batch = order.next(of: lines.withLock { $0[name]?.open ?? [] })
                guard !batch.isEmpty else { break }
                if batch.count == 1, let entry = batch.first, entry.action == .relocate {
                    guard try await relocate(entry, on: domain) else {
                        order.putOff.insert(entry.id)
                        continue
                    }
                    done(entry)
                } else if let failure = await drop(batch, on: domain) {
                    throw failure
                }
            }
            if !order.putOff.isEmpty {
                tryAgain(
                    name, after: DocumentError(.busy, "A folder is to be sent first, and something moved into it then.")
                )
            }
        }
    }

    /// - Returns: what keeps one of them from being carried out.
    private func drop(_ batch: [JournalEntry], on domain: Domain) async -> DocumentError? {
        await withTaskGroup(of: DocumentError?.self) { group in
            for entry in batch {
                group.addTask { [self] in
                    do throws(DocumentError) {
                        try await drop(entry, on: domain)
                        done(entry)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            var failure: DocumentError?
            for await error in group { failure = failure ?? error }
            return failure
        }
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
            if refusal.code != .noSuchItem { there = try await look(id, on: domain) }
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

    private func tryAgain(_ name: DomainName, after error: DocumentError) {
        let attempt = lines.withLock { lines -> Int? in
            lines[name]?.failures += 1
            return lines[name]?.failures
        }
        guard let attempt, error.code != .cancelled,
            case .retry(let delay) = retry.decision(for: error, attempt: attempt, jitter: Double.random(in: 0...1))
        else { return }
        wakes.wake(name, at: clock() + delay) { [self] in await settle(name) }
    }
}
