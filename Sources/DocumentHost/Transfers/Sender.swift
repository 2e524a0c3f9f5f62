import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// Sends what was changed here to the providers: soon, a few at a time, what somebody waits for first, and again when it
/// did not work. What is done with an item the planner says; when, a ``SendQueue`` for each domain.
final class Sender: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    typealias Preparation = @Sendable (ItemKey) async throws(DocumentError) -> Void

    private struct State {
        var queues: [DomainName: SendQueue] = [:]
        /// Asks for a domain's changes: what the remote has is not as it was thought to be.
        var refresh: (@Sendable (DomainName) -> Void)?
        /// Finds out what has to be known before an item is sent.
        var prepare: Preparation?
        /// Is told of a document that is in conflict by now.
        var conflictWasFound: (@Sendable (ItemKey) -> Void)?
        /// Is told of what its provider knows by now, or knows anew.
        var madeItems: (@Sendable (DomainName) -> Void)?
        /// Is told when nothing of an item is under way any more.
        var ended: (@Sendable (ItemKey) -> Void)?
    }

    private let state = Mutex(State())
    private let storage: StorageThreads
    private let delivery: Delivery
    private let pauses: PauseGate
    private let transfers: SharedTransfers<ItemKey, Delivery.Outcome>
    private let work: WorkGroup
    private let flush: DeferredFlush
    private let wakes: DomainWakes
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameter clock: counts from some moment, and never backwards.
    init(
        storage: StorageThreads, delivery: Delivery, pauses: PauseGate, work: WorkGroup, loop: EventLoop,
        retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.delivery = delivery
        self.pauses = pauses
        self.work = work
        flush = DeferredFlush(storage: storage, work: work, loop: loop, logger: logger)
        wakes = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
        transfers = SharedTransfers(work: work, executor: loop, clock: clock)
    }

    /// Says who asks for a domain's changes in the background.
    func refreshes(_ refresh: @escaping @Sendable (DomainName) -> Void) {
        state.withLock { $0.refresh = refresh }
    }

    /// Says who finds out what has to be known before an item is sent.
    func prepares(_ prepare: @escaping Preparation) {
        state.withLock { $0.prepare = prepare }
    }

    /// Says who is told when a document is found to be in conflict. It must not block.
    func reportsConflicts(_ report: @escaping @Sendable (ItemKey) -> Void) {
        state.withLock { $0.conflictWasFound = report }
    }

    /// Says who is told when something that was made here was sent, or was made anew at its provider. It must not block.
    func reportsMade(_ report: @escaping @Sendable (DomainName) -> Void) {
        state.withLock { $0.madeItems = report }
    }

    /// Says who is told when an item's sending has ended, however it did. It must not block.
    func reportsEnds(_ report: @escaping @Sendable (ItemKey) -> Void) {
        state.withLock { $0.ended = report }
    }

    /// Calls the closure whenever a sending has told how far it is. It must not block.
    func onReport(_ body: @escaping @Sendable (ItemKey) -> Void) { transfers.onReport(body) }

    // MARK: Asked for

    /// Has an item sent in the background.
    func enqueue(_ key: ItemKey) {
        withQueue(of: key.domain) { $0.add(key.id) }
        pump(key.domain)
    }

    /// The same of everything in an item that was made here, with the folders that its provider does not know either.
    func enqueue(arriving item: IndexedItem) throws(DocumentError) {
        for folder in try storage.read({ try $0.arrivingFolders(of: item.domain) }) { enqueue(folder.key) }
        for document in try storage.read({ try $0.present(within: item.id, in: item.domain) }) where document.isUnsent {
            enqueue(document.key)
        }
    }

    /// Has everything of a domain sent that waits for something: the provider said that it is resolved, or runs again.
    ///
    /// - Parameter codes: which errors are resolved; empty: all.
    func enqueueAll(
        of domain: DomainName?, resolved codes: Set<DocumentError.Code> = []
    ) throws(DocumentError) {
        var found: Set<DomainName> = []
        if let domain { withQueue(of: domain) { $0.resolved(codes) } }
        for state in [ItemState.changed, .sending] {
            var row: Int64 = 0
            while true {
                let page = try storage.read { try $0.items(in: state, of: domain, after: row, limit: 500) }
                guard let last = page.last else { break }
                for item in page {
                    withQueue(of: item.domain) { $0.add(item.id) }
                    found.insert(item.domain)
                }
                row = last.row
            }
        }
        for folder in try storage.read({ try $0.arrivingFolders(of: domain) }) {
            withQueue(of: folder.domain) { $0.add(folder.id) }
            found.insert(folder.domain)
        }
        for domain in found.sorted() { pump(domain) }
    }

    /// Sends an item now, or waits for the sending under way.
    ///
    /// - Parameters:
    ///   - settling: what becomes of it when the remote was changed, too (VER-14).
    ///   - unlessExcluded: whether it ends when the item is excluded from sync.
    /// - Throws: what keeps it from being sent; it stays kept, and is tried again in the background.
    func send(
        _ key: ItemKey, settling: Delivery.Settling = .keepingBoth, unlessExcluded: Bool = false,
        onProgress: ProgressObserver? = nil
    ) async throws(DocumentError) {
        // Whoever waits for many mostly finds that this one was sent by now.
        if try storage.read({ try $0.item(key.id, in: key.domain) })?.state == .materialised { return }
        // One that was begun in the background gives up when somebody uses the document; this one waits for them.
        while try await transfer(
            key, isAwaited: true, settling: settling, unlessExcluded: unlessExcluded, onProgress) == .inUse
        {}
    }

    /// Somebody is going to wait for these: they come before the others.
    func hurry(_ keys: [ItemKey]) {
        for key in keys { withQueue(of: key.domain) { $0.add(key.id, isAwaited: true) } }
        for domain in Set(keys.map(\.domain)).sorted() { pump(domain) }
    }

    /// How far a sending is; nil when none has begun.
    func meter(of key: ItemKey) -> TransferMeter? { transfers.meter(of: key) }

    /// Where an item stands among those of its domain, and why nothing of that is sent.
    func standing(
        of key: ItemKey
    ) -> (standing: TransferCircumstances.Standing, obstacle: DocumentError.Code?) {
        let now = clock()
        return state.withLock { state in
            guard let queue = state.queues[key.domain] else { return (.none, nil) }
            return (queue.standing(of: key.id, at: now), queue.obstacle)
        }
    }

    /// Why an item could not be sent when that was tried last; nil when it was not tried since the host's start.
    func problem(of key: ItemKey) -> DocumentError? {
        state.withLock { $0.queues[key.domain]?.problem(of: key.id) }
    }

    var isBusy: Bool {
        let now = clock()
        return state.withLock { state in state.queues.values.contains { $0.isBusy(at: now) } }
    }

    // MARK: Under way

    private func withQueue<Value>(of domain: DomainName, _ body: (inout SendQueue) -> Value) -> Value {
        state.withLock { state in
            body(&state.queues[domain, default: SendQueue(pacing: SyncPacing(retry: retry))])
        }
    }

    /// Begins what there is room for.
    private func pump(_ domain: DomainName) {
        let places = delivery.places.of(domain)
        while let id = withQueue(of: domain, { $0.next(of: places.count) }) {
            let operation: SyncOperation?
            do throws(DocumentError) {
                operation = try storage.read { index in
                    // The index knows what is unsent: when it is resumed or included, it comes again.
                    guard let item = try index.item(id, in: domain), try index.marks(of: item).allowsSending else {
                        return nil
                    }
                    return try index.operation(on: item)
                }
            } catch {
                logger.error(
                    "an unsent document could not be looked up",
                    metadata: metadata(ItemKey(domain: domain, id: id), error))
                operation = nil
            }
            let now = clock()
            guard withQueue(of: domain, { $0.begin(id, operation, at: now) }), let operation else { continue }
            let key = ItemKey(domain: domain, id: id)
            guard !work.add({ [self] in await carryOut(operation, on: key) }) else { continue }
            // The index knows what is unsent.
            withQueue(of: domain) { $0.dropped(id) }
        }
        arm(domain)
    }

    private func carryOut(_ operation: SyncOperation, on key: ItemKey) async {
        do throws(DocumentError) {
            var outcome = try await transfer(key, isAwaited: false, unlessExcluded: true, nil)
            if outcome == .inUse {
                // Others may go while those who use this one are waited for.
                withQueue(of: key.domain) { $0.park(key.id) }
                pump(key.domain)
                defer { withQueue(of: key.domain) { $0.resumed(key.id) } }
                repeat {
                    outcome = try await transfer(key, isAwaited: true, unlessExcluded: true, nil)
                } while outcome == .inUse
            }
            // What was changed since was asked for again.
            if outcome == .sent { succeeded(key, isDone: true) } else { settled(operation, key, nil) }
        } catch {
            guard !Task.isCancelled else { return withQueue(of: key.domain) { $0.dropped(key.id) } }
            settled(operation, key, error)
        }
        pump(key.domain)
    }

    private func transfer(
        _ key: ItemKey, isAwaited: Bool, settling: Delivery.Settling = .keepingBoth, unlessExcluded: Bool,
        _ onProgress: ProgressObserver?
    ) async throws(DocumentError) -> Delivery.Outcome {
        let isOwn = Flag()
        let outcome: Delivery.Outcome
        do throws(DocumentError) {
            outcome = try await join(
                key, isAwaited: isAwaited, settling: settling, unlessExcluded: unlessExcluded, isOwn, onProgress)
        } catch {
            // A host that has ended begins nothing any more.
            guard settling != .keepingBoth, !isOwn.isSet, error.code != .cancelled else { throw error }
            outcome = .inUse
        }
        if outcome == .paused {
            // It may have been resumed, or included, before that had ended: who asks for it since then has it sent anew.
            guard try !pauses.isPaused(key) else { throw try wasPaused(key) }
            guard unlessExcluded, try pauses.isExcluded(key) else { return .inUse }
            throw try wasExcluded(key)
        }
        // One that was begun before this was asked for may not have seen why, and has another thing in mind.
        guard !isOwn.isSet else { return outcome }
        return settling != .keepingBoth ? .inUse : outcome == .sent ? .done : outcome
    }

    private func join(
        _ key: ItemKey, isAwaited: Bool, settling: Delivery.Settling, unlessExcluded: Bool, _ isOwn: Flag,
        _ onProgress: ProgressObserver?
    ) async throws(DocumentError) -> Delivery.Outcome {
        let prepare = state.withLock { $0.prepare }
        return try await transfers.join(key, onProgress: onProgress) {
            [delivery, pauses, flush] report throws(DocumentError) in
            isOwn.set()
            defer {
                flush.request()
                self.state.withLock { $0.ended }?(key)
            }
            try await prepare?(key)
            let outcome: Delivery.Outcome?
            do throws(DocumentError) {
                outcome = try await pauses.untilPaused(key, orExcluded: unlessExcluded) {
                    () async throws(DocumentError) in
                    try await delivery.deliver(
                        key, waiting: isAwaited, settling: settling, preparing: prepare, report)
                }
            } catch {
                if error.code == .inConflict { self.state.withLock { $0.conflictWasFound }?(key) }
                throw error
            }
            if self.isMade(key) { self.state.withLock { $0.madeItems }?(key.domain) }
            return outcome ?? .paused
        }
    }

    /// What was made at the provider, for the first time or anew, has another identifier by now.
    private func isMade(_ key: ItemKey) -> Bool {
        key.id.isArriving || (try? storage.read { try $0.item(key.id, in: key.domain) == nil }) ?? false
    }

    private func wasPaused(_ key: ItemKey) throws(DocumentError) -> DocumentError {
        let place = try storage.read { try $0.location(of: key.id, in: key.domain) } ?? Location(domain: key.domain)
        return DocumentError(
            .cannotSynchronize, "\(place) was paused while it was sent: docent resume lets it go on.")
    }

    private func wasExcluded(_ key: ItemKey) throws(DocumentError) -> DocumentError {
        let place = try storage.read { try $0.location(of: key.id, in: key.domain) } ?? Location(domain: key.domain)
        return DocumentError(
            .excludedFromSync,
            "\(place) was excluded from sync while it was sent: docent include has it sent, of it or of what is excluded around it."
        )
    }

    /// What came of it is in the index; what is planned now says whether it is done.
    private func settled(_ operation: SyncOperation, _ key: ItemKey, _ error: DocumentError?) {
        var planned: SyncOperation? = operation
        do throws(DocumentError) {
            planned = try storage.read { try $0.operation(on: key.id, in: key.domain) }
        } catch {
            logger.error("an unsent document could not be looked up", metadata: metadata(key, error))
        }
        guard planned == operation else {
            if let error, error.code == .inConflict {
                logger.notice("a document is in conflict", metadata: metadata(key, error))
            }
            return succeeded(key, isDone: planned == nil)
        }
        let error = error ?? DocumentError(.busy, "The provider took the document, and it is unsent all the same.")
        let (now, jitter) = (clock(), Double.random(in: 0...1))
        let consequence = withQueue(of: key.domain) { $0.failed(key.id, error, at: now, jitter: jitter) }
        logger.notice(
            "a document could not be sent",
            metadata: metadata(key, error).merging(["next": "\(consequence)"]) { first, _ in first })
        if case .refresh = consequence { state.withLock { $0.refresh }?(key.domain) }
    }

    private func succeeded(_ key: ItemKey, isDone: Bool) {
        let isOver = withQueue(of: key.domain) { queue in
            let isOver = queue.succeeded(key.id)
            if !isDone { queue.add(key.id) }
            return isOver
        }
        // What kept this one from being sent kept others, too.
        if isOver { try? enqueueAll(of: key.domain) }
    }

    private func metadata(_ key: ItemKey, _ error: DocumentError) -> Logger.Metadata {
        ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"]
    }

    /// Sees to it that the queue is looked at when something of it may be tried again.
    private func arm(_ domain: DomainName) {
        let now = clock()
        wakes.wake(domain, at: state.withLock { $0.queues[domain]?.nextRetry(after: now) }) { [self] in
            let now = clock()
            state.withLock { $0.queues[domain]?.woken(at: now) }
            pump(domain)
        }
    }
}

extension ItemMarks {
    fileprivate var allowsSending: Bool { !isPaused && keeping != .excluded }
}
