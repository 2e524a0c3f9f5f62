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
    /// What is waited for once all others are read.
    private struct Left {
        var isPaused = false
        var isInUse = false
    }

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
            let left = await readAll()
            let isOver = state.withLock { state in
                state.hasPaused = left.isPaused
                defer { state.isAskedAgain = false }
                if Task.isCancelled || !state.isAskedAgain && !left.isInUse { state.isRunning = false }
                return !state.isRunning
            }
            if isOver { return }
            if left.isInUse { await loop.pause(patience) }
        }
    }

    private func readAll() async -> Left {
        var left = Left()
        do throws(DocumentError) {
            for domain in try storage.read({ try $0.domains() }) {
                var row: Int64 = 0
                while let last = try await readSome(of: domain.name, after: row, &left) { row = last }
            }
        } catch {
            if error.code != .cancelled {
                logger.notice("what has no digest could not be looked up", metadata: ["error": "\(error)"])
            }
        }
        return left
    }

    /// - Returns: where to go on; nil at the end.
    private func readSome(
        of domain: DomainName, after row: Int64, _ left: inout Left
    ) async throws(DocumentError) -> Int64? {
        let items = try await storage.run { store in
            try store.root.index.read { index in
                // It may have been removed meanwhile.
                try index.domain(domain) == nil ? [] : try index.lackingDigest(in: domain, after: row)
            }
        }
        for item in items {
            if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
            if try pauses.isPaused(item.key) {
                left.isPaused = true
                continue
            }
            let began = MonotonicTime.now()
            do throws(DocumentError) {
                if try await !read(item) { left.isInUse = true }
            } catch {
                // The next start tries again.
                logger.debug(
                    "a document could not be read for its digest",
                    metadata: ["domain": "\(domain)", "item.id": "\(item.id)", "error": "\(error)"])
            }
            let took = MonotonicTime.now().since(began)
            await loop.pause(max(Self.shortestPause, took * Self.restraint))
        }
        return items.last?.row
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
