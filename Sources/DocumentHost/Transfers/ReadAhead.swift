import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import Synchronization

/// Fetches small documents ahead of programs that open those of a folder one after the other (DOWN-9), so that they wait for the
/// first few only: the shell around ``ReadAheadPlan``.
///
/// Nobody has asked for these: they give way to what somebody waits for, leave first when room is needed, and a failure is
/// nothing that anybody is told of.
final class ReadAhead: Sendable {
    private struct State {
        var plans: [DomainName: ReadAheadPlan] = [:]
        /// Which program is ahead of which, by its folder.
        var causes: [ItemKey: String] = [:]
        /// How many wait for contents of documents, by the folders that those are in.
        var waiting: [DomainName: [ItemIdentifier: Int]] = [:]
        /// How much more may come, and until when that holds.
        var room: (bytes: Int64, until: Duration) = (0, .zero)
        var isMeasuring = false
        /// What is being fetched, and whether somebody has come to wait for it, for whom it counts then.
        var underWay: [ItemKey: Bool] = [:]
    }

    /// What is looked at of a folder, from where a program is on.
    private static let mostLookedAt = 4_096
    /// What is larger is not fetched ahead. In bytes.
    private static let largest: Int64 = 1 << 20
    /// For whom things come is remembered of so many folders, and else of those only that programs are in the middle of.
    private static let mostCauses = 64
    /// How long it is known how much room there is.
    private static let freshness = Duration.seconds(2)

    private let state = Mutex(State())
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let broker: CoordinationBroker
    private let materialiser: Materialiser
    private let brought: DownloadTally
    private let rules: @Sendable (DomainName) -> DomainRules
    private let work: WorkGroup
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameter clock: counts from some moment, and never backwards.
    init(
        storage: StorageThreads, domains: DomainRegistry, broker: CoordinationBroker, materialiser: Materialiser,
        brought: DownloadTally, rules: @escaping @Sendable (DomainName) -> DomainRules, work: WorkGroup,
        clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.broker = broker
        self.materialiser = materialiser
        self.brought = brought
        self.rules = rules
        self.work = work
        self.clock = clock
        self.logger = logger
    }

    // MARK: What programs do

    /// Brings a document that somebody waits for.
    ///
    /// - Parameter cause: who waits, and may have others of the folder fetched ahead; nil: they may not.
    func whileWaiting<Value>(
        for item: IndexedItem, causedBy cause: String?, _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        guard let folder = item.item.parentID else { return try await body() }
        let name = item.domain
        // What is switched off costs nothing.
        let cause = cause != nil && rules(name).lookAgain > .zero ? cause : nil
        let now = clock()
        let isWanted = state.withLock { state in
            state.waiting[name, default: [:]][folder, default: 0] += 1
            if state.underWay[item.key] != nil { state.underWay[item.key] = true }
            guard cause != nil || state.plans[name] != nil else { return false }
            if state.causes.count >= Self.mostCauses {
                state.causes = state.causes.filter { state.plans[$0.key.domain]?.isReading($0.key.id) == true }
            }
            state.causes[ItemKey(domain: name, id: folder)] = cause
            guard cause != nil else {
                state.plans[name]?.opened(item.id, at: now)
                return false
            }
            return state.plans[name, default: ReadAheadPlan()].waits(for: item.id, in: folder, at: now)
        }
        defer { endWaiting(in: folder, of: name) }
        if isWanted { work.add { [self] in await lookUp(folder, from: item, in: name) } } else { pump(name) }
        return try await body()
    }

    private func endWaiting(in folder: ItemIdentifier, of name: DomainName) {
        state.withLock { state in
            let count = (state.waiting[name]?[folder] ?? 1) - 1
            state.waiting[name]?[folder] = count > 0 ? count : nil
            if state.waiting[name]?.isEmpty == true { state.waiting[name] = nil }
        }
        pump(name)
    }

    /// Documents that are here were opened.
    func opened(_ keys: [ItemKey]) {
        for key in keys {
            let now = clock()
            let isUsed = state.withLock { state in
                guard state.plans[key.domain]?.isUnused(key.id) == true else { return false }
                state.plans[key.domain]?.opened(key.id, at: now)
                return true
            }
            if isUsed { pump(key.domain) }
        }
    }

    func removed(_ domain: DomainName) {
        state.withLock { state in
            state.plans[domain] = nil
            state.causes = state.causes.filter { $0.key.domain != domain }
        }
    }

    /// Whether it was fetched, or is on its way, and nobody has opened it yet.
    private func isUnused(_ key: ItemKey) -> Bool {
        state.withLock { $0.plans[key.domain]?.isUnused(key.id) == true }
    }

    // MARK: What is there

    private func lookUp(_ folder: ItemIdentifier, from item: IndexedItem, in name: DomainName) async {
        let found = try? await storage.run { store in
            try store.root.index.read { index in
                // Of a large one, what comes next by name.
                var items = try index.children(of: folder, in: name, limit: Self.mostLookedAt)
                if items.next != nil, let cursor = ChildCursor(before: item) {
                    items = try index.children(of: folder, in: name, after: cursor, limit: Self.mostLookedAt)
                }
                // To sort them takes its time, too.
                return ReadAheadOrder(items.items.compactMap(ReadAheadPlan.Document.init(of:)))
            }
        }
        guard let found else { return }
        state.withLock { $0.plans[name]?.found(found, in: folder) }
        pump(name)
    }

    fileprivate static func isSmall(_ size: Int64) -> Bool { size <= largest }

    // MARK: What is fetched

    private func pump(_ name: DomainName) {
        while let (document, folder) = next(in: name) {
            let isTaken = work.add { [self] in
                await fetch(document, in: folder, of: name)
                pump(name)
            }
            if !isTaken { return ended(document, in: name, wasFetched: false) }
        }
    }

    private func next(in name: DomainName) -> (ReadAheadPlan.Document, ItemIdentifier)? {
        let now = clock()
        var isToBeMeasured = false
        let next = state.withLock { state -> (ReadAheadPlan.Document, ItemIdentifier)? in
            guard let plan = state.plans[name], plan.isFetching else { return nil }
            guard now < state.room.until else {
                isToBeMeasured = !state.isMeasuring
                state.isMeasuring = true
                return nil
            }
            guard state.room.bytes >= Self.largest else { return nil }
            let isYielding = state.waiting[name]?.keys.contains { !plan.isReading($0) } ?? false
            guard let next = state.plans[name]?.next(yielding: isYielding, at: now) else { return nil }
            state.room.bytes -= next.document.size
            return next
        }
        if isToBeMeasured { work.add { [self] in await measure(for: name) } }
        return next
    }

    private func measure(for name: DomainName) async {
        let left = try? await storage.run { store -> Int64 in
            let (limits, here) = try store.root.index.read { index in
                let limits = try index.spaceLimits()
                return (limits, try limits == nil ? 0 : index.contentsHere(of: nil).bytes)
            }
            let disk = try? store.root.room()
            return ReadAheadRoom.left(limits, here: here, free: disk?.available, of: disk?.all ?? 0)
        }
        let until = clock() + Self.freshness
        state.withLock { state in
            state.room = (left ?? 0, until)
            state.isMeasuring = false
        }
        pump(name)
    }

    private func fetch(_ document: ReadAheadPlan.Document, in folder: ItemIdentifier, of name: DomainName) async {
        let key = ItemKey(domain: name, id: document.id)
        state.withLock { $0.underWay[key] = false }
        defer { state.withLock { $0.underWay[key] = nil } }
        do throws(DocumentError) {
            guard let domain = domains.find(name), domain.signIn.problem == nil, rules(name).lookAgain > .zero,
                let (item, location) = try wanted(key)
            else { return ended(document, in: name, wasFetched: false) }
            // When it is paused, it ends for good.
            let now = try await materialiser.materialiseUntilPaused(
                item, of: domain, onProgress: nil, isUnasked: { [self] in isUnused(key) })
            let (isJoined, cause) = state.withLock { state in
                (state.underWay[key] == true, state.causes[ItemKey(domain: name, id: folder)] ?? "docentd")
            }
            if let now, !isJoined {
                brought.add("\(cause), fetched ahead", bytes: UInt64(clamping: now.local?.size ?? 0), at: location)
            }
            ended(document, in: name, wasFetched: now != nil)
        } catch {
            guard error.code != .cancelled, error.code != .noSuchItem else {
                return ended(document, in: name, wasFetched: false)
            }
            state.withLock { $0.plans[name]?.failed(key.id) }
            logger.info(
                "a document could not be fetched ahead",
                metadata: ["domain": "\(name)", "item.id": "\(key.id)", "error": "\(error)"])
        }
    }

    private func ended(_ document: ReadAheadPlan.Document, in name: DomainName, wasFetched: Bool) {
        state.withLock { $0.plans[name]?.ended(document.id, wasFetched: wasFetched) }
    }

    /// Nil for what is here by now, what somebody works on, and what is not to come unasked.
    private func wanted(_ key: ItemKey) throws(DocumentError) -> (IndexedItem, Location)? {
        guard let known = try materialiser.known.item(key), ReadAheadPlan.Document(of: known.item)?.isWanted == true,
            !known.status.marks.isPaused, known.status.marks.keeping.letsContentsLeave,
            !broker.isClaimed(known.coordinated, contentsToo: true)
        else { return nil }
        return (known.item, known.status.location)
    }
}

extension ReadAheadPlan.Document {
    /// Nil for anything else than a document that is shown.
    fileprivate init?(of item: IndexedItem) {
        guard item.item.kind == .document, let name = item.item.name, item.state != .nameClash, !item.isGone else {
            return nil
        }
        let size = item.item.size ?? .max
        self.init(
            id: item.id, name: name, size: size,
            isWanted: item.state == .placeholder && item.local == nil && item.problem == nil
                && item.item.capabilities.contains(.read) && ReadAhead.isSmall(size))
    }
}

extension ChildCursor {
    /// An item itself comes first behind it.
    fileprivate init?(before item: IndexedItem) {
        guard let name = item.item.name else { return nil }
        self.init(nameKey: FoldedName(name).text, row: item.row - 1)
    }
}
