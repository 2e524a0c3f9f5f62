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
    /// Is told of edits that outlive their item's deletion.
    let sender: Sender
    let pauses: PauseGate
    let search: FileSearch
    let logger: Logger
    /// What waits for something else to be carried out.
    private let delayed = DelayedWork()
    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(300)

    init(
        storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>, work: WorkGroup,
        owner: ClaimOwner, sender: Sender, pauses: PauseGate, search: FileSearch, logger: Logger
    ) {
        self.storage = storage
        self.broker = broker
        self.locks = locks
        self.work = work
        self.owner = owner
        self.sender = sender
        self.pauses = pauses
        self.search = search
        self.logger = logger
    }

    var conflicts: OneSidedConflicts {
        OneSidedConflicts(storage: storage, broker: broker, locks: locks, sender: sender, logger: logger)
    }

    /// Of many removals the end is recorded at once, so that a folder is flushed once for all that leaves it.
    func perform(_ entries: [JournalEntry]) async throws(DocumentError) {
        var cleared: [ClearedRemoval] = []
        do throws(DocumentError) {
            for entry in entries {
                await forget(&cleared, before: entry)
                if let removal = try await performLeavingCleared(entry) { cleared.append(removal) }
            }
        } catch {
            await forget(cleared)
            throw error
        }
        await forget(cleared)
    }

    /// At once when nobody uses the item; else as soon as they have ended, while the caller goes on. Claims that are
    /// asked for later wait for it (COORD-4), so that they find the item in its new place.
    ///
    /// What cannot be carried out yet, because its place is still to be left by something else, is tried again
    /// whenever something else was, and from time to time.
    ///
    /// - Returns: a removal of which only the end is left.
    private func performLeavingCleared(_ entry: JournalEntry) async throws(DocumentError) -> ClearedRemoval? {
        guard let entry = try now(entry) else { return nil }
        // Whoever waits for the end of its pause need not any more.
        if entry.action == .remove { pauses.itemsRemoved() }
        let intent = ClaimIntent.writing(entry.action == .remove ? .forDeleting : .forMoving)
        // Not while it is sent or provided either, or given another place: that may take long, and the caller has others to
        // see to; or it is the caller itself that is at work on the item, and has just found out that it is gone.
        guard let id = entry.itemID, let item = try coordinated(id, in: entry.domain) else {
            if case .over(let removal) = await carryOut(entry, waiting: false) { return removal }
            work.add { [self] in await wait(for: entry, intent) }
            return nil
        }
        if !locks.isHeld(ItemKey(domain: entry.domain, id: id)),
            let claim = broker.claimWithoutWaiting({ number in
                Claim(id: number, owner: owner, item: item, intent: intent, style: entry.claimStyle)
            })
        {
            defer { broker.end(claim) }
            if case .over(let removal) = await carryOut(entry, waiting: false) { return removal }
        }
        work.add { [self] in await wait(for: entry, intent) }
        return nil
    }

    /// What became of an entry.
    private enum End: Sendable {
        /// With a removal of which only the end is left.
        case over(ClearedRemoval?)
        /// Somebody is at work on the item, and was not waited for.
        case inUse

        var cleared: ClearedRemoval? { if case .over(let removal) = self { removal } else { nil } }
    }

    /// Until nobody uses the item. Somebody may refuse, or wait for something else himself: then it is tried again, for as
    /// long as the entry is open.
    private func wait(for entry: JournalEntry, _ intent: ClaimIntent) async {
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do throws(DocumentError) {
                guard let entry = try now(entry) else { return }
                guard let id = entry.itemID, let item = try coordinated(id, in: entry.domain) else { break }
                let claim = try await broker.claim(item, for: intent, by: owner, style: entry.claimStyle)
                defer { broker.end(claim) }
                return await carryOutWholly(entry)
            } catch {
                if error.code == .cancelled { return }
                logger.notice(
                    "a change of the remote has to wait",
                    metadata: [
                        "domain": "\(entry.domain)", "item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)",
                    ])
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(60))
        }
        if !Task.isCancelled { await carryOutWholly(entry) }
    }

    /// Carries out what providers' answers ask for in the tree. Until then, items are found where they were.
    func performLater(_ entries: [JournalEntry]) {
        work.add { [self] in
            var cleared: [ClearedRemoval] = []
            for entry in entries {
                await forget(&cleared, before: entry)
                do throws(DocumentError) {
                    if let removal = try await performLeavingCleared(entry) { cleared.append(removal) }
                } catch {
                    postpone(entry, because: error)
                }
            }
            await forget(cleared)
        }
    }

    /// Takes up items that a provider told of, and what follows from them in the tree.
    func take(_ items: [Item], in domain: DomainName) async throws(DocumentError) -> ApplyOutcome {
        let outcome = try await storage.run { try $0.apply(items, in: domain, leavingWork: true) }
        try await perform(outcome.work)
        try tell(of: outcome)
        return outcome
    }

    /// Presenters hear of what the remote has changed, as of what any program does that coordinates nothing (COORD-28).
    func tell(of outcome: ApplyOutcome) throws(DocumentError) {
        // Nobody waits any more for the end of the pause of what is gone, also where nothing of it was here.
        if outcome.deleted > 0 { pauses.itemsRemoved() }
        if !outcome.moved.isEmpty { pauses.placesChanged() }
        guard !outcome.changed.isEmpty, !broker.isIdle else { return }
        for item in outcome.changed where item.state != .nameClash && !item.isGone {
            let now = try storage.read { try $0.coordinated(item) }
            if outcome.appeared.contains(item.id) {
                broker.noticed(.appeared, on: now)
            } else {
                broker.placed(now)
                // One that has only another name or folder is told of that alone. Of one that was changed here the contents
                // are what they were, and the remote tells, perhaps, of what we are just sending: where both have changed,
                // it is told of the other version.
                if !outcome.moved.contains(item.id), !item.isUnsent { broker.noticed(.changed, on: now) }
            }
        }
    }

    /// - Parameter waiting: for whoever is at work on the item.
    private func carryOut(_ entry: JournalEntry, waiting: Bool) async -> End {
        let removal: ClearedRemoval?
        do throws(DocumentError) {
            guard case .over(let cleared) = try await performInTree(entry, waiting: waiting) else { return .inUse }
            removal = cleared
        } catch {
            postpone(entry, because: error)
            return .over(nil)
        }
        // Later moves have waited for this one, perhaps.
        let later = entry.action == .remove ? [] : delayed.takeMoves(after: entry)
        let next = later.isEmpty ? delayed.takeFirst().map { [$0] } ?? [] : later
        guard !next.isEmpty else { return .over(removal) }
        if let removal { await forget([removal]) }
        for entry in next {
            // Under a claim of its own: the item may be in use by somebody else.
            do throws(DocumentError) {
                try await perform([entry])
            } catch {
                postpone(entry, because: error)
            }
        }
        return .over(nil)
    }

    /// What is moved finds the places free that removals have left.
    private func forget(_ removals: inout [ClearedRemoval], before entry: JournalEntry) async {
        guard entry.action != .remove else { return }
        await forget(removals)
        removals = []
    }

    private func carryOutWholly(_ entry: JournalEntry) async {
        if let removal = await carryOut(entry, waiting: true).cleared { await forget([removal]) }
    }

    private func forget(_ removals: [ClearedRemoval]) async {
        guard !removals.isEmpty else { return }
        do throws(DocumentError) {
            try await storage.run { try $0.forget(removals) }
        } catch {
            for removal in removals { postpone(removal.entry, because: error) }
        }
    }

    private func postpone(_ entry: JournalEntry, because error: DocumentError) {
        logger.notice(
            "a change of the remote is not carried out yet",
            metadata: [
                "domain": "\(entry.domain)", "item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)",
            ])
        // A domain that was removed takes its work with it.
        if case .some(.none) = try? storage.read({ try $0.domain(entry.domain) }) { return }
        // What it waits for may leave without a word to the host.
        if delayed.add(entry) { work.add { [self] in await tryDelayed() } }
    }

    /// Until nothing waits any more; less and less often, as long as nothing new does.
    private func tryDelayed() async {
        var pause = Self.firstPause
        var known: Set<Int64> = []
        while true {
            do {
                try await Task.sleep(for: pause)
            } catch {
                return
            }
            let entries = delayed.takeAll()
            let numbers = Set(entries.map(\.id))
            pause = numbers.isSubset(of: known) ? min(pause * 2, Self.longestPause) : Self.firstPause
            known = numbers
            for entry in entries {
                do throws(DocumentError) {
                    try await perform([entry])
                } catch {
                    postpone(entry, because: error)
                }
            }
            guard delayed.goesOn() else { return }
        }
    }

    private func performInTree(_ entry: JournalEntry, waiting: Bool) async throws(DocumentError) -> End {
        guard let entry = try now(entry) else { return .over(nil) }
        guard let id = entry.itemID else {
            return .over(try await storage.run { try $0.performLeavingCleared(entry) })
        }
        let key = ItemKey(domain: entry.domain, id: id)
        let removal: ClearedRemoval?
        if waiting {
            removal = try await locks.withLock(key) { () async throws(DocumentError) in
                try await performLocked(entry, id)
            }
        } else {
            let end = try await locks.withLockIfFree(key) { () async throws(DocumentError) -> End in
                .over(try await performLocked(entry, id))
            }
            guard case .over(let cleared)? = end else { return .inUse }
            removal = cleared
        }
        guard entry.action == .remove else {
            // Whoever waits for it or presents it finds it where it is now.
            if !broker.isIdle, let item = try coordinated(id, in: entry.domain) { broker.placed(item) }
            return .over(nil)
        }
        // What was changed here survives (VER-15).
        for item in try storage.read({ try $0.present(within: id, in: entry.domain) }) {
            switch item.state {
            case .changed: sender.enqueue(item.key)
            case .conflict: try await conflicts.end(item)
            default: break
            }
        }
        return .over(removal)
    }

    private func performLocked(
        _ entry: JournalEntry, _ id: ItemIdentifier
    ) async throws(DocumentError) -> ClearedRemoval? {
        if entry.action == .remove { try await takeBackMoved(within: id, entry) }
        return try await storage.run { try $0.performLeavingCleared(entry) }
    }

    /// Programs may have moved documents' files, and written to them, without asking, and the documents have not followed yet:
    /// where they are is known to nobody once the documents are gone. At their own places they are judged as all others.
    private func takeBackMoved(within id: ItemIdentifier, _ entry: JournalEntry) async throws(DocumentError) {
        // Whatever was written to them is not wanted either.
        guard !entry.payload.discardsEdits else { return }
        for item in try await storage.run({ try $0.missingFiles(within: id, in: entry.domain) }) {
            guard let file = try await search.file(of: item, isAmongOthers: true) else { continue }
            let isBack = try await storage.run { store in
                try store.recordEdit(of: item, in: file)
                return try store.putBack(item.id, in: item.domain, from: file.location)
            }
            logger.notice(
                isBack
                    ? "a document's file, which a program has moved, is at its place again: the remote has removed the document"
                    : "the remote has removed a document whose file a program has moved",
                metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "location": "\(file.location)"])
        }
    }

    /// What was recorded, as it is by now: its item may have got another identifier since. Nil when it is carried out.
    private func now(_ entry: JournalEntry) throws(DocumentError) -> JournalEntry? {
        try storage.read { try $0.open(entry) }
    }

    private func coordinated(_ id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> CoordinatedItem? {
        try storage.read { index in
            guard let item = try index.item(id, in: domain) else { return nil }
            return try index.coordinated(item)
        }
    }
}

extension JournalEntry {
    /// A document that is gone gives its name to whatever the remote has there by now, also while programs still read it through a
    /// mount.
    fileprivate var claimStyle: Claim.Style { action == .remove && payload.kind == .document ? .following : .access }
}

/// Entries that could not be carried out yet, the oldest first.
private final class DelayedWork: Sendable {
    private struct State {
        var entries: [JournalEntry] = []
        var isTried = false
    }

    private let state = Mutex(State())

    /// - Returns: whether somebody has to begin to try them from time to time.
    func add(_ entry: JournalEntry) -> Bool {
        state.withLock { state in
            state.entries.append(entry)
            defer { state.isTried = true }
            return !state.isTried
        }
    }

    func takeFirst() -> JournalEntry? {
        state.withLock { $0.entries.isEmpty ? nil : $0.entries.removeFirst() }
    }

    /// The later moves in an entry's domain, in the order in which they were recorded.
    func takeMoves(after entry: JournalEntry) -> [JournalEntry] {
        state.withLock { state in
            let isWaiting = { (other: JournalEntry) in
                other.domain == entry.domain && other.id > entry.id && other.action != .remove
            }
            defer { state.entries.removeAll(where: isWaiting) }
            return state.entries.filter(isWaiting).sorted { $0.id < $1.id }
        }
    }

    func takeAll() -> [JournalEntry] {
        state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
    }

    /// - Returns: false when there are none, and whoever tries them is done.
    func goesOn() -> Bool {
        state.withLock { state in
            state.isTried = !state.entries.isEmpty
            return state.isTried
        }
    }
}

extension IndexReader {
    /// An item as coordination sees it. Anything inside a package is the package (COORD-21).
    func coordinated(_ item: IndexedItem) throws -> CoordinatedItem {
        let folders = try folders(around: item)
        return coordinated(item, inside: folders, at: (try? location(of: item.id, in: item.domain)) ?? nil)
    }

    /// The same where its place is known. Pure.
    func coordinated(
        _ item: IndexedItem, inside folders: [IndexedItem], at location: Location?
    ) -> CoordinatedItem {
        let enclosing = folders.reversed().map { folder in
            CoordinatedItem.Folder(key: folder.key, isPackage: folder.item.kind == .package)
        }
        return CoordinatedItem(
            subject: .item(item.key), kind: item.item.kind, enclosing: enclosing,
            location: location ?? Location(domain: item.domain))
    }
}
