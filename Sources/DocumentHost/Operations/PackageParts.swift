import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// What tools make of packages: new and changed parts are sent; of parts that were removed their provider hears as soon as it
/// can be asked, each in the version that was removed. What the remote has changed since stays, and comes back (VER-15).
final class PackageParts: Sendable {
    private struct Removals {
        var open: [JournalEntry] = []
        var failures = 0
    }

    private let removals: Mutex<[DomainName: Removals]>
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let treeWork: TreeWork
    private let arrivals: Arrivals
    private let sender: Sender
    private let rounds: SharedTransfers<DomainName, Void>
    private let wakes: DomainWakes
    private let work: WorkGroup
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameter pending: what the start has found in the journal.
    init(
        _ pending: [JournalEntry], storage: StorageThreads, domains: DomainRegistry, treeWork: TreeWork,
        arrivals: Arrivals, sender: Sender, rounds: SharedTransfers<DomainName, Void>, work: WorkGroup,
        retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        let dropped = Dictionary(grouping: pending.filter { $0.action == .dropPart }, by: \.domain)
        removals = Mutex(dropped.mapValues { Removals(open: $0) })
        self.storage = storage
        self.domains = domains
        self.treeWork = treeWork
        self.arrivals = arrivals
        self.sender = sender
        self.rounds = rounds
        wakes = DomainWakes(work: work, clock: clock)
        self.work = work
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// A write in a package has ended.
    ///
    /// - Parameter dropping: parts that are not there any more were removed.
    /// - Throws: what cannot be sent of what lies there; all else is.
    func record(_ entry: JournalEntry, dropping: Bool) async throws(DocumentError) {
        let edits = try await storage.run { try $0.recordEdits(entry, dropping: dropping) }
        for item in edits.made + edits.changed {
            if item.isArriving { try arrivals.send(item) } else { sender.enqueue(item.key) }
        }
        if !edits.dropped.isEmpty {
            removals.withLock { $0[entry.domain, default: Removals()].open += edits.dropped }
            work.add { [self] in await settle(entry.domain) }
        }
        guard let refusal = edits.refused.first else { return }
        throw edits.refused.count == 1
            ? refusal
            : refusal.wrapped("\(refusal.message) So it is with \(edits.refused.count - 1) more.")
    }

    /// Those of a domain, or of all, that can be carried out now; the others are tried again later.
    func settle(_ domain: DomainName?) async {
        for name in removals.withLock({ $0.keys.sorted() }) where domain == nil || name == domain {
            do throws(DocumentError) {
                try await carryOut(name)
            } catch {
                logger.notice(
                    "the removal of a package's part waits", metadata: ["domain": "\(name)", "error": "\(error)"])
                tryAgain(name, after: error)
            }
        }
    }

    /// Before an item is sent: what lay at its place must not be in its way.
    func settleRemoval(before key: ItemKey) async throws(DocumentError) {
        let open = removals.withLock { $0[key.domain]?.open ?? [] }
        guard !open.isEmpty, let place = try storage.read({ try $0.location(of: key.id, in: key.domain) }),
            open.contains(where: { entry in entry.payload.place.map { place.components.starts(with: $0) } ?? false })
        else { return }
        try await carryOut(key.domain)
    }

    /// A domain that goes takes its journal with it.
    func forget(_ domain: DomainName) { removals.withLock { $0[domain] = nil } }

    // MARK: -

    private func carryOut(_ name: DomainName) async throws(DocumentError) {
        try await rounds.join(name, onProgress: nil) { [self] _ throws(DocumentError) in
            let domain = try domains.domain(name)
            for entry in removals.withLock({ $0[name]?.open ?? [] }) {
                try await carryOut(entry, on: domain)
                removals.withLock { all in
                    all[name]?.open.removeAll { $0.id == entry.id }
                    all[name]?.failures = 0
                    if all[name]?.open.isEmpty == true { all[name] = nil }
                }
            }
        }
    }

    private func carryOut(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) {
        guard let id = entry.itemID, let base = entry.payload.base, let operation = entry.payload.operation else {
            return try await storage.run { try $0.finishDropping(entry, removed: false) }
        }
        let call = ProviderCall.DeleteCall(
            id: id, baseVersion: entry.payload.kind == .document ? base.contentOnly : .none, recursive: false,
            operation: operation)
        var there: Item?
        do throws(DocumentError) {
            try await onceMoreAfterDeath { () async throws(DocumentError) in try await domain.provider.delete(call) }
        } catch {
            let refusal = error
            if [.transient, .resolvable, .caller].contains(refusal.code.errorClass) { throw refusal }
            if refusal.code != .noSuchItem { there = try await look(id, on: domain) }
            if there != nil {
                logger.notice(
                    "a part of a package that was removed here stays, as the remote has it",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(id)", "error": "\(refusal)"])
            }
        }
        let removed = there == nil
        try await storage.run { try $0.finishDropping(entry, removed: removed) }
        if let there { _ = try await treeWork.take([there], in: domain.name) }
    }

    private func look(_ id: ItemIdentifier, on domain: Domain) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            return try await domain.provider.item(id)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return nil
        }
    }

    private func tryAgain(_ name: DomainName, after error: DocumentError) {
        let attempt = removals.withLock { all -> Int? in
            all[name]?.failures += 1
            return all[name]?.failures
        }
        guard let attempt, error.code != .cancelled,
            case .retry(let delay) = retry.decision(for: error, attempt: attempt, jitter: Double.random(in: 0...1))
        else { return }
        wakes.wake(name, at: clock() + delay) { [self] in await settle(name) }
    }
}
