import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import Synchronization

/// Brings what people want to have here, and keeps it current: what is pinned, and what a download was begun of (DOWN-1,
/// XFER-14). In the background, a few at a time, again when it did not work. While nothing is pinned, it does nothing.
final class PinKeeper: Sendable {
    struct State {
        var queues: [DomainName: SendQueue] = [:]
        /// How often folders that were asked for could not be listed, one time after the other.
        var failedScans: [DomainName: Int] = [:]
        /// What comes when it is resumed.
        var paused: Set<ItemKey> = []
        /// Whether that is about to be looked at again.
        var looksAtPaused = false
    }

    static let firstRescan = Duration.seconds(10)
    static let mostDoublings = 6
    private static let beforePausedAgain = Duration.milliseconds(50)

    let state = Mutex(State())
    let storage: StorageThreads
    private let downloader: Downloader
    private let pauses: PauseGate
    let follower: ChangeFollower
    let lookout: FolderLookout
    let domains: DomainRegistry
    let requests: LastingRequests
    private let hub: EventHub
    let work: WorkGroup
    private let wakes: DomainWakes
    let rescans: DomainWakes
    private let questions: DomainWakes
    private let retry: RetryPolicy
    let clock: @Sendable () -> Duration
    let logger: Logger

    init(
        storage: StorageThreads, downloader: Downloader, pauses: PauseGate, follower: ChangeFollower,
        lookout: FolderLookout, domains: DomainRegistry, requests: LastingRequests, hub: EventHub, work: WorkGroup,
        retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.downloader = downloader
        self.pauses = pauses
        self.follower = follower
        self.lookout = lookout
        self.domains = domains
        self.requests = requests
        self.hub = hub
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        rescans = DomainWakes(work: work, clock: clock)
        questions = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    // MARK: Asked for

    /// Looks at everything that is pinned: at the start, when something was pinned or is not any more, and when a provider
    /// says that what was wrong is over.
    func look(at only: DomainName? = nil) async {
        do throws(DocumentError) {
            let pinned = try storage.read { index -> [IndexedItem] in
                var found: [IndexedItem] = []
                for domain in try index.domains() {
                    found += try index.markedItems(in: domain.name).filter { $0.marks.own == .pinned }.map(\.item)
                }
                return found
            }
            try await hub.listen(.pins, whileKept: .pinned) { [weak self] changes in self?.changed(changes) }
            for domain in domains.all where only.map({ $0 == domain.name }) ?? true {
                lookout.keepNothing(in: domain.name)
                if pinned.contains(where: { $0.domain == domain.name }) { lookout.keep([domain.rootID], in: domain) }
            }
            for key in requests.documents where only.map({ $0 == key.domain }) ?? true {
                resolved(key.domain)
                add(key)
            }
            if only == nil {
                for domain in Set(pinned.map(\.domain)) { work.add { [self] in await askForNews(of: domain) } }
            }
            let meant = Dictionary(grouping: pinned.filter { only == nil || only == $0.domain }, by: \.domain)
            await sideBySide(meant.keys.sorted()) { [self] domain in
                resolved(domain)
                for item in meant[domain] ?? [] { await scan(item, isAsked: false) }
            }
            if let only { await takeUpRequests(of: only, foldersOnly: true) }
        } catch {
            logger.error("what is pinned could not be looked up", metadata: ["error": "\(error)"])
        }
    }

    /// A provider that nobody has needed since the host's start says nothing by itself; nor does one whose remote could not be
    /// reached then, as when a machine has no network yet.
    private func askForNews(of name: DomainName, attempt: Int = 0) async {
        do throws(DocumentError) {
            try await follower.ensureFresh(try domains.domain(name))
        } catch {
            logger.notice(
                "whether what is pinned is current could not be found out",
                metadata: ["domain": "\(name)", "error": "\(error)"])
            guard error.code.errorClass == .transient else { return }
            let pause = Self.firstRescan * (1 << min(attempt, Self.mostDoublings))
            questions.wake(name, at: clock() + pause) { [self] in await askForNews(of: name, attempt: attempt + 1) }
        }
    }

    /// Has a document, or everything below a folder, brought in the background, also by the next host. To ask again is harmless.
    func request(_ item: IndexedItem) async throws(DocumentError) {
        guard item.item.kind != .document || isWanting(item) else { return }
        try await requests.keep([item])
        work.add { [self] in await scan(item, isAsked: true) }
    }

    /// Takes up what was asked for and has not come before the host's start.
    func resume() async {
        let domains = (try? storage.read { try $0.domains().map(\.name) }) ?? []
        await sideBySide(domains) { [self] in await takeUpRequests(of: $0, foldersOnly: false) }
    }

    func takeUpRequests(of domain: DomainName, foldersOnly: Bool) async {
        do throws(DocumentError) {
            for item in try requests.left(in: domain, foldersOnly: foldersOnly) {
                await scan(item, isAsked: true)
            }
        } catch {
            logger.error(
                "what is to be downloaded could not be looked up",
                metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }

    /// Waits for what a tool has brought. When the tool is gone before it is here, it comes in the background; when the host
    /// is, the next one brings it.
    func outlivingAsker<Value>(
        _ item: IndexedItem, _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        guard item.item.kind != .document || isWanting(item) else { return try await body() }
        await requests.beginWaiting(for: item)
        do throws(DocumentError) {
            let value = try await body()
            requests.endWaiting(for: item.key)
            return value
        } catch {
            guard error.code == .cancelled, Asker.current?.isGone == true else {
                // They know, or want it no more.
                requests.endWaiting(for: item.key)
                throw error
            }
            work.add { [self] in
                do throws(DocumentError) {
                    try await request(item)
                    requests.endWaiting(for: item.key)
                } catch {
                    // It is written down already.
                    logger.notice("a download is left to the next host", metadata: metadata(item.key, error))
                }
            }
            throw error
        }
    }

    private func resolved(_ domain: DomainName) { withQueue(of: domain) { $0.resolved() } }

    /// Standing of a document among those that are to be brought.
    func standing(
        of key: ItemKey
    ) -> (standing: TransferCircumstances.Standing, obstacle: DocumentError.Code?) {
        let now = clock()
        return state.withLock { state in
            guard let queue = state.queues[key.domain] else { return (.none, nil) }
            return (queue.standing(of: key.id, at: now), queue.obstacle)
        }
    }

    var isBusy: Bool {
        let now = clock()
        return state.withLock { state in state.queues.values.contains { $0.isBusy(at: now) } }
    }

    // MARK: Under way

    func add(_ key: ItemKey) {
        withQueue(of: key.domain) { $0.add(key.id) }
        pump(key.domain)
    }

    private func withQueue<Value>(of domain: DomainName, _ body: (inout SendQueue) -> Value) -> Value {
        state.withLock { state in
            body(&state.queues[domain, default: SendQueue(pacing: SyncPacing(retry: retry))])
        }
    }

    private func pump(_ domain: DomainName) {
        while let id = withQueue(of: domain, { $0.next(of: SyncPacing.Limits().documents) }) {
            let key = ItemKey(domain: domain, id: id)
            let operation = operation(on: key)
            let now = clock()
            // What is paused keeps no other's place, and nothing of it is claimed.
            let isPaused = operation != nil && (try? pauses.isPaused(key)) == true
            guard withQueue(of: domain, { $0.begin(id, isPaused ? nil : operation, at: now) }), let operation else {
                if isPaused { setAside(key) } else if operation == nil { requests.drop(key) }
                continue
            }
            guard !work.add({ [self] in await carryOut(operation, on: key) }) else { continue }
            withQueue(of: domain) { $0.dropped(id) }
        }
        arm(domain)
    }

    /// Until something is resumed.
    private func setAside(_ key: ItemKey) {
        state.withLock { _ = $0.paused.insert(key) }
        // It may have been resumed before that was known.
        guard (try? pauses.isPaused(key)) != true, state.withLock({ $0.paused.remove(key) }) != nil else { return }
        withQueue(of: key.domain) { $0.add(key.id) }
    }

    /// What was set aside is looked at again, once for many changes that come together.
    func pausesChanged() {
        let isFirst = state.withLock { state in
            guard !state.paused.isEmpty, !state.looksAtPaused else { return false }
            state.looksAtPaused = true
            return true
        }
        guard isFirst else { return }
        work.add { [self] in
            // It throws when the host ends.
            do { try await Task.sleep(for: Self.beforePausedAgain) } catch { return }
            let keys = state.withLock { state in
                defer { (state.paused, state.looksAtPaused) = ([], false) }
                return state.paused
            }
            for key in keys { withQueue(of: key.domain) { $0.add(key.id) } }
            for domain in Set(keys.map(\.domain)) { pump(domain) }
        }
    }

    /// Items have other identifiers: what is to come of them comes all the same. Must not block.
    func identified(_ news: [IdentityNews]) {
        var wanted: [ItemKey] = []
        for case .changed(let domain, let formerID, let id) in news {
            let former = ItemKey(domain: domain, id: formerID)
            let key = ItemKey(domain: domain, id: id)
            let isRequested = requests.identified(former, as: key)
            // What was set aside waits on; all else is looked at by the new one.
            let wasPaused = state.withLock { $0.paused.remove(former) != nil && $0.paused.insert(key).inserted }
            if isRequested, !wasPaused { wanted.append(key) }
        }
        if !wanted.isEmpty { work.add { [self, wanted] in for key in wanted { add(key) } } }
    }

    /// What is to come and is paused.
    var paused: [ItemKey] { state.withLock { Array($0.paused) } }

    /// Nil when it is here, or nobody wants it here any more.
    private func operation(on key: ItemKey) -> SyncOperation? {
        do throws(DocumentError) {
            return try storage.read { index in
                guard let (item, operation) = try index.wanted(key.id, in: key.domain), !item.isCurrent,
                    !item.isUnsent, !item.isGone
                else { return nil }
                let marks = try index.marks(of: item)
                return requests.contains(key) || marks.keeping == .pinned ? operation : nil
            }
        } catch {
            logger.error("a wanted document could not be looked up", metadata: metadata(key, error))
            return nil
        }
    }

    private func carryOut(_ operation: SyncOperation, on key: ItemKey) async {
        do throws(DocumentError) {
            let item = try storage.read { try $0.item(key.id, in: key.domain) }
            if let item, try await !downloader.bring(item, of: try domains.domain(key.domain)) {
                withQueue(of: key.domain) { $0.dropped(key.id) }
                setAside(key)
                return pump(key.domain)
            }
            // What kept this one from coming kept others, too, and the queue has forgotten them for it.
            if withQueue(of: key.domain, { $0.succeeded(key.id) }) {
                work.add { [self] in await look(at: key.domain) }
            }
            requests.drop(key)
            // It may be outdated already.
            if self.operation(on: key) != nil { withQueue(of: key.domain) { $0.add(key.id) } }
        } catch {
            // The next host brings it. What a provider calls off by itself is a failure as any other.
            guard !Task.isCancelled else { return withQueue(of: key.domain) { $0.dropped(key.id) } }
            let (now, jitter) = (clock(), Double.random(in: 0...1))
            let consequence = withQueue(of: key.domain) { $0.failed(key.id, error, at: now, jitter: jitter) }
            logger.notice(
                "a document could not be brought",
                metadata: metadata(key, error).merging(["next": "\(consequence)"]) { first, _ in first })
        }
        pump(key.domain)
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

    func metadata(_ key: ItemKey, _ error: DocumentError) -> Logger.Metadata {
        ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"]
    }
}
