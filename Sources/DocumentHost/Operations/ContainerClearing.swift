import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import Synchronization

/// Removes a container's data as a whole (CONT-5): nothing while some of it is in use or unsent. Once it has begun it is written
/// down, and goes on whatever becomes of the tool that asked, or of the host: after what passes by itself, later and later
/// (PROV-22); after what its provider has to resolve, when that says so.
final class ContainerClearing: Sendable {
    private let storage: StorageThreads
    private let broker: CoordinationBroker
    private let domains: DomainRegistry
    private let arranger: Arranger
    private let deletions: DeletionDesk
    private let interrupted: InterruptedChanges
    private let owner: ClaimOwner
    private let work: WorkGroup
    private let wakes: DomainWakes
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    private let logger: Logger
    /// Entries that somebody carries out just now.
    private let underWay = Mutex<Set<Int64>>([])
    /// How often something of a domain was not brought to its end, one time after the other.
    private let failures = Mutex<[DomainName: Int]>([:])

    /// - Parameter clock: counts from some moment, and never backwards.
    init(
        storage: StorageThreads, broker: CoordinationBroker, domains: DomainRegistry, arranger: Arranger,
        deletions: DeletionDesk, interrupted: InterruptedChanges, owner: ClaimOwner, work: WorkGroup,
        retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.broker = broker
        self.domains = domains
        self.arranger = arranger
        self.deletions = deletions
        self.interrupted = interrupted
        self.owner = owner
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// - Parameter folder: the container's.
    /// - Throws: `unsyncedEdits` while something of it is unsent, `deletionRejected` when something of it has to stay, or so much
    ///   needs a yes (CONT-13); then nothing was removed. What keeps the rest from being removed, when some of it is.
    func clear(_ folder: IndexedItem, at place: Location, on domain: Domain) async throws(DocumentError) {
        try domain.requireModifying(place)
        let data = try data(in: folder)
        if data.isEmpty { return }
        for item in data where item.item.kind != .document { try await arranger.remover.learn(item, of: domain) }
        // Sooner said than when everybody was asked to let go of it.
        _ = try known(data, at: place)
        try await deletions.removing(data) { (begins: () -> Void) async throws(DocumentError) -> Void in
            try await admit(data, at: place)
            let claim = try await claim(data, by: owner.onBehalf, nestedIn: EnclosingClaims.current)
            defer { broker.end(claim) }
            let now = try self.data(in: folder).filter { item in data.contains { $0.id == item.id } }
            let known = try known(now, at: place)
            let entry = try await storage.run { [self] store in
                let entry = try store.beginClearing(folder.id, in: folder.domain, of: known)
                underWay.withLock { _ = $0.insert(entry.id) }
                return entry
            }
            begins()
            defer { underWay.withLock { _ = $0.remove(entry.id) } }
            do throws(DocumentError) {
                try await carryOut(entry, now, at: place, on: domain)
            } catch {
                tryAgain(entry, after: error)
                throw error
            }
        }
    }

    /// After a start, and when a provider can be asked again: what was begun is brought to its end. In a domain that cannot be used
    /// it stays to be done; who makes that usable calls this once more.
    func resume(_ domain: DomainName?) async {
        let entries = (try? storage.read { try $0.journal() }) ?? []
        for entry in entries where entry.action == .clear && (domain == nil || entry.domain == domain) {
            guard underWay.withLock({ $0.insert(entry.id).inserted }) else { continue }
            defer { underWay.withLock { _ = $0.remove(entry.id) } }
            do throws(DocumentError) {
                try await resume(entry)
                failures.withLock { $0[entry.domain] = nil }
            } catch {
                logger.notice(
                    "a container's data is not removed to its end",
                    metadata: ["item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)"])
                tryAgain(entry, after: error)
            }
        }
    }

    /// What is still open after an error that passes by itself. Nothing is looked at before it is due.
    private func tryAgain(_ entry: JournalEntry, after error: DocumentError) {
        guard domains.find(entry.domain) != nil, (try? storage.read { try $0.open(entry) }) != nil else { return }
        let attempt = failures.withLock { failures in
            let attempt = (failures[entry.domain] ?? 0) + 1
            failures[entry.domain] = attempt
            return attempt
        }
        guard case .retry(let delay) = retry.decision(for: error, attempt: attempt, jitter: Double.random(in: 0...1))
        else { return }
        wakes.wake(entry.domain, at: clock() + delay) { [self] in await resume(entry.domain) }
    }

    private func resume(_ entry: JournalEntry) async throws(DocumentError) {
        // What the provider was asked for before the host ended may be done.
        await interrupted.settle(entry.domain)
        guard try storage.read({ try $0.journal() }).contains(where: { $0.id == entry.id }) else { return }
        guard let id = entry.itemID, let folder = try storage.read({ try $0.item(id, in: entry.domain) }),
            let place = try storage.read({ try $0.location(of: id, in: entry.domain) })
        else { return try await storage.run { try $0.finishClearing(entry) } }
        let domain = try domains.domain(entry.domain)
        func left() throws(DocumentError) -> [IndexedItem] {
            try data(in: folder).filter { entry.payload.known[$0.id] != nil }
        }
        let claimed = try left()
        guard !claimed.isEmpty else { return try await storage.run { try $0.finishClearing(entry) } }
        let claim = try await claim(claimed, by: owner, nestedIn: [])
        defer { broker.end(claim) }
        let now = try left()
        do throws(DocumentError) {
            let found = try known(now, at: place)
            guard found.allSatisfy({ entry.payload.known[$0.key] == $0.value }) else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "Something of the data of \(place) is new or was changed since; it stays.")
            }
        } catch {
            try await storage.run { try $0.finishClearing(entry) }
            throw error
        }
        try await carryOut(entry, now, at: place, on: domain)
    }

    // MARK: - Looking

    /// What lies in a container but for the user's documents.
    private func data(in folder: IndexedItem) throws(DocumentError) -> [IndexedItem] {
        try storage.read { index in
            var all: [IndexedItem] = []
            var cursor: ChildCursor?
            repeat {
                let page = try index.children(of: folder.id, in: folder.domain, after: cursor, limit: 500)
                all += page.items.filter { $0.exists && $0.item.name?.rawValue != ContainerScope.documentsFolder }
                cursor = page.next
            } while cursor != nil
            return all
        }
    }

    /// All that goes with some items, in the versions that are known.
    private func known(_ items: [IndexedItem], at place: Location) throws(DocumentError) -> [ItemIdentifier: [UInt8]] {
        try storage.read { index in
            var known: [ItemIdentifier: [UInt8]] = [:]
            for item in items {
                for part in try index.subtree(of: item.id, in: item.domain) where part.exists {
                    let location = (try? index.location(of: part.id, in: part.domain)) ?? place
                    guard !part.isUnsent, !part.isArriving else {
                        throw DocumentError(
                            .unsyncedEdits,
                            "\(location) has changes that were not sent yet, so nothing is removed; docent status \(location) says why.",
                            itemID: part.id)
                    }
                    guard part.item.capabilities.contains(.delete) else {
                        throw DocumentError(
                            .deletionRejected, "\(location) cannot be removed on the remote, so nothing is removed.",
                            itemID: part.id)
                    }
                    // A folder's version is that of what is in it.
                    known[part.id] = part.item.kind == .document ? part.item.version.content : []
                }
            }
            return known
        }
    }

    /// When so much needs a yes, all of it waits for that.
    private func admit(_ items: [IndexedItem], at place: Location) async throws(DocumentError) {
        var refusal: DocumentError?
        for item in items {
            do throws(DocumentError) {
                try await deletions.admit(
                    item, at: item.item.name.map { place.appending($0) } ?? place,
                    recursive: item.item.kind != .document, discardingEdits: false)
            } catch {
                guard error.code == .deletionRejected else { throw error }
                refusal = error
            }
        }
        guard let refusal else { return }
        try await storage.write { index in
            for item in items {
                try index.hold(
                    item.id, in: item.domain, recursive: item.item.kind != .document, discardingEdits: false)
                try index.cover(held: item.id, in: item.domain)
            }
        }
        throw refusal
    }

    private func claim(
        _ items: [IndexedItem], by owner: ClaimOwner, nestedIn: Set<ClaimID>
    ) async throws(DocumentError) -> ClaimID {
        let coordinated = try storage.read { index in try items.map { try index.coordinated($0) } }
        return try await broker.claim { id in
            Claim(
                id: id, owner: owner, intentions: coordinated.map { AccessIntention($0, .writing(.forDeleting)) },
                nestedIn: nestedIn)
        }.id
    }

    // MARK: - Removing

    /// What the remote has changed or got meanwhile stays, and the rest goes.
    private func carryOut(
        _ entry: JournalEntry, _ items: [IndexedItem], at place: Location, on domain: Domain
    ) async throws(DocumentError) {
        var failure: DocumentError?
        for item in items {
            do throws(DocumentError) {
                try await arranger.carryOutRemoval(
                    of: item, at: item.item.name.map { place.appending($0) } ?? place, on: domain,
                    isWhole: item.item.kind != .document, discardingUnsent: false, forGood: true)
            } catch {
                if error.code == .noSuchItem { continue }
                if error.code == .cancelled {
                    // What its provider has cancelled by itself stays open: asked again at once, it might go on like that for good.
                    guard Task.isCancelled else { throw error }
                    // Whoever asked is gone; it goes on all the same, behind this one's claim.
                    underWay.withLock { _ = $0.remove(entry.id) }
                    work.add { [self] in await resume(entry.domain) }
                    throw error
                }
                // Open as it is, it goes on later, when the provider can be asked, or after the next start.
                guard [.definitive, .caller].contains(error.code.errorClass) else {
                    throw error.wrapped(
                        "The data of \(place) is not removed to its end: \(error.message) The rest goes when that is over."
                    )
                }
                failure = failure ?? error
            }
        }
        try await storage.run { try $0.finishClearing(entry) }
        if let failure { throw failure }
    }
}
