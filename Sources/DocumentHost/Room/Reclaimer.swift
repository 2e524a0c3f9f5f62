import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Makes room when more is here than may be (XFER-14): when the index was written, looks whether it is so, and lets go of
/// what was used longest ago. Without limits it does nothing. One look ends before the next begins: two would each let go of all
/// that is too much.
final class Reclaimer: Sendable {
    private struct State {
        var limits: SpaceLimits?
        /// Or is about to.
        var isLooking = false
        /// Since it began to look last.
        var wasWritten = false
        /// The last time not enough could leave.
        var isStuck = false
        /// Ends when it is time for the next look.
        var pause: Task<Void, Never>?
    }

    /// What is written within so long is looked at once.
    private static let pause = Duration.milliseconds(500)
    /// How long what came of an interrupted download stays, in seconds.
    private static let partPatience: Int64 = 3600
    /// When not enough could leave, it is not tried again sooner.
    private static let patience = Duration.seconds(30)

    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let broker: CoordinationBroker
    private let evictor: Evictor
    private let uses: UseLog
    private let work: WorkGroup
    private let executor: any TaskExecutor
    /// In seconds since 1970.
    private let date: @Sendable () -> Int64
    private let logger: Logger
    private let state = Mutex(State())

    init(
        storage: StorageThreads, domains: DomainRegistry, broker: CoordinationBroker, evictor: Evictor, uses: UseLog,
        work: WorkGroup, executor: any TaskExecutor, date: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.broker = broker
        self.evictor = evictor
        self.uses = uses
        self.work = work
        self.executor = executor
        self.date = date
        self.logger = logger
    }

    /// It is looked at at once.
    func setLimits(_ limits: SpaceLimits?) {
        let pause = state.withLock { state in
            state.limits = limits
            state.isStuck = false
            return state.pause
        }
        pause?.cancel()
        indexWasWritten()
    }

    /// Whether not enough could leave the last time.
    var isStuck: Bool { state.withLock { $0.isStuck } }

    /// Whoever wrote goes on: it is looked at soon.
    func indexWasWritten() {
        let begins = state.withLock { state in
            guard state.limits != nil else { return false }
            state.wasWritten = true
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        work.add { [self] in
            while let pause = pauseBeforeNextLook() {
                await withTaskCancellationHandler {
                    await pause.value
                } onCancel: {
                    pause.cancel()
                }
                // The host ends.
                guard !Task.isCancelled else { return }
                // What is written from now on, by itself, too, is looked at again.
                let limits = state.withLock { state in
                    state.wasWritten = false
                    return state.limits
                }
                await makeRoom(within: limits)
            }
        }
    }

    /// Nil, and the next one who writes begins anew, when nothing was written since.
    private func pauseBeforeNextLook() -> Task<Void, Never>? {
        state.withLock { state in
            state.pause = nil
            guard state.wasWritten, state.limits != nil else {
                state.isLooking = false
                return nil
            }
            let length = state.isStuck ? Self.patience : Self.pause
            let pause = Task(executorPreference: executor) { () -> Void in _ = try? await Task.sleep(for: length) }
            state.pause = pause
            return pause
        }
    }

    private func makeRoom(within limits: SpaceLimits?) async {
        do throws(DocumentError) {
            guard var plan = EvictionPlan(limits, here: try storage.read { try $0.contentsHere(of: nil).bytes }) else {
                return state.withLock { $0.isStuck = false }
            }
            try await uses.writeDown(in: storage)
            // What came of interrupted downloads counts for none of it, and takes room all the same. Programs may still read
            // what was interrupted just now.
            let before = date() - Self.partPatience
            try await storage.run { try $0.dropNeedlessParts(before: before) }
            var unreachable: Set<DomainName> = []
            // Those first that people do not want to keep here.
            for isOnlineOnly in [true, false] {
                try await evict(isOnlineOnly, &plan, &unreachable, within: limits)
            }
            let isDone = plan.isDone
            let isStillMeant = state.withLock { state in
                // In one: what is set meanwhile is looked at at once.
                guard state.limits == limits else { return false }
                state.isStuck = !isDone
                return true
            }
            if isStillMeant, !isDone {
                logger.notice(
                    "more is here than may be, and no more of it can leave", metadata: ["bytes": "\(plan.left)"])
            }
        } catch {
            state.withLock { state in
                // Other ones may be met.
                if state.limits == limits { state.isStuck = true }
            }
            logger.error("no room could be made", metadata: ["error": "\(error)"])
        }
    }

    /// Whether nobody has set other ones since.
    private func isMeant(_ limits: SpaceLimits?) -> Bool { state.withLock { $0.limits == limits } }

    private func evict(
        _ isOnlineOnly: Bool, _ plan: inout EvictionPlan, _ unreachable: inout Set<DomainName>,
        within limits: SpaceLimits?
    ) async throws(DocumentError) {
        if isOnlineOnly,
            try !storage.read({ index in try index.domains().contains { try index.hasMarks(in: $0.name) } })
        {
            return
        }
        var cursor: UseCursor? = .start
        while let after = cursor, !plan.isDone, !Task.isCancelled {
            let page = try storage.read { try $0.leastRecentlyUsed(after: after, limit: 100) }
            for item in page.items where !plan.isDone && !unreachable.contains(item.domain) {
                guard isMeant(limits) else { return }
                let (marks, location, coordinated) = try storage.read { index in
                    (try index.marks(of: item), try index.shownLocation(of: item), try index.coordinated(item))
                }
                let candidate = EvictionPlan.Candidate(
                    bytes: UInt64(max(item.local?.size ?? 0, 0)), state: item.state, keeping: marks.keeping,
                    isClaimed: broker.isClaimed(coordinated, contentsToo: true))
                guard (marks.keeping == .onlineOnly) == isOnlineOnly, plan.takes(candidate), let location,
                    let domain = domains.find(item.domain)
                else { continue }
                do throws(DocumentError) {
                    plan.evicted(try await evictor.evict(item, at: location, on: domain).bytes)
                } catch {
                    if error.code == .cancelled { throw error }
                    if error.code.errorClass == .resolvable || error.code == .providerUnavailable {
                        unreachable.insert(item.domain)
                    }
                    logger.debug(
                        "a document stays here", metadata: ["item": "\(location)", "error": "\(error)"])
                }
            }
            cursor = page.next
        }
    }
}
