import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// Has documents read whose contents nobody has read yet, so that they can be told from others whatever is done to their files
/// (XFER-13): what came before the index kept digests, and what was large and had just come when a host ended at once.
///
/// One after the other, for a part of the time only, and none that somebody uses or that is paused. What was read is written down,
/// so that the next start goes on with the rest. When there is none, nothing is done.
final class MissingDigests: Sendable {
    /// Those that somebody uses: more than that wait for the next start.
    private static let mostAwaited = 1000
    private static let longestPatience = Duration.seconds(3600)

    private struct State {
        var isRunning = false
        var isAskedAgain = false
        var hasPaused = false
    }

    /// What it takes of the time: one part in three.
    private static let restraint = 2
    private static let shortestPause = Duration.milliseconds(10)

    private let state = Mutex(State())
    private let storage: StorageThreads
    private let broker: CoordinationBroker
    private let locks: KeyedLock<ItemKey>
    private let pauses: PauseGate
    private let work: WorkGroup
    private let loop: EventLoop
    /// For how long those who use a document are left alone.
    private let patience: Duration
    private let logger: Logger

    init(
        storage: StorageThreads, broker: CoordinationBroker, locks: KeyedLock<ItemKey>, pauses: PauseGate,
        work: WorkGroup, loop: EventLoop, patience: Duration = .seconds(60), logger: Logger
    ) {
        self.storage = storage
        self.broker = broker
        self.locks = locks
        self.pauses = pauses
        self.work = work
        self.loop = loop
        self.patience = patience
        self.logger = logger
    }

    /// Begins, at the host's start.
    func begin() {
        guard storage.store.canProve else { return }
        let isFirst = state.withLock { state in
            defer { (state.isRunning, state.isAskedAgain) = (true, state.isRunning) }
            return !state.isRunning
        }
        if isFirst { work.add { [self] in await run() } }
    }

    /// Something was paused or resumed.
    func pausesChanged() {
        if state.withLock({ $0.hasPaused }) { begin() }
    }

    private func run() async {
        while true {
            state.withLock { $0.hasPaused = false }
            var inUse = await readAll()
            var patience = patience
            while !inUse.isEmpty, !Task.isCancelled, !state.withLock({ $0.isAskedAgain }) {
                await loop.pauseUnlessCancelled(patience)
                // Some are used for days.
                patience = min(patience * 2, Self.longestPatience)
                inUse = (try? await read(inUse)) ?? []
            }
            let isOver = state.withLock { state in
                defer { state.isAskedAgain = false }
                if Task.isCancelled || !state.isAskedAgain { state.isRunning = false }
                return !state.isRunning
            }
            if isOver { return }
        }
    }

    /// - Returns: those that somebody uses.
    private func readAll() async -> [IndexedItem] {
        var inUse: [IndexedItem] = []
        do throws(DocumentError) {
            for domain in try storage.read({ try $0.domains() }) {
                var row: Int64 = 0
                while let (some, last) = try await readSome(of: domain.name, after: row) {
                    inUse += some.prefix(max(Self.mostAwaited - inUse.count, 0))
                    row = last
                }
            }
        } catch {
            if error.code != .cancelled {
                logger.notice("what has no digest could not be looked up", metadata: ["error": "\(error)"])
            }
        }
        return inUse
    }

    /// - Returns: those that somebody uses, and where to go on; nil at the end.
    private func readSome(
        of domain: DomainName, after row: Int64
    ) async throws(DocumentError) -> (inUse: [IndexedItem], last: Int64)? {
        let items = try await storage.run { store in
            try store.root.index.read { index in
                // It may have been removed meanwhile.
                try index.domain(domain) == nil ? [] : try index.lackingDigest(in: domain, after: row)
            }
        }
        guard let last = items.last?.row else { return nil }
        return (try await read(items), last)
    }

    /// - Returns: those that somebody uses.
    private func read(_ items: [IndexedItem]) async throws(DocumentError) -> [IndexedItem] {
        var inUse: [IndexedItem] = []
        for item in items {
            if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
            if try pauses.isPaused(item.key) {
                state.withLock { $0.hasPaused = true }
                continue
            }
            let began = MonotonicTime.now()
            do throws(DocumentError) {
                if try await !read(item) { inUse.append(item) }
            } catch {
                // The next start tries again.
                logger.debug(
                    "a document could not be read for its digest",
                    metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "error": "\(error)"])
            }
            let took = MonotonicTime.now().since(began)
            await loop.pauseUnlessCancelled(max(Self.shortestPause, took * Self.restraint))
        }
        return inUse
    }

    /// - Returns: false when somebody uses it, or wants to.
    private func read(_ item: IndexedItem) async throws(DocumentError) -> Bool {
        let key = item.key
        let coordinated = try storage.read { index in
            try index.item(key.id, in: key.domain).map { try index.coordinated($0) }
        }
        guard let coordinated else { return true }
        let isEnding = Flag()
        let outcome: Result<Bool, DocumentError> = await withTaskCancellationHandler {
            do throws(DocumentError) {
                let isRead = try await locks.withLockIfFree(key) { () async throws(DocumentError) -> Bool in
                    try await storage.run { [broker, locks] store in
                        try store.takeDigest(of: key.id, in: key.domain) {
                            isEnding.isSet || locks.isAwaited(key) || broker.isClaimed(coordinated, contentsToo: true)
                        }
                    }
                }
                return .success(isRead ?? false)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            isEnding.set()
        }
        return try outcome.get()
    }
}
