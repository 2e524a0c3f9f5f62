import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// Sees to it that the remote keeps both sides of each conflict, where its provider can, and that both are known here (VER-2,
/// VER-10). In the background: what is to be kept or removed is told by the index, so that nothing of it is forgotten
/// when the host ends, and tried again as the errors say.
final class SideKeeper: Sendable {
    /// Of one domain.
    private struct Standing {
        var isRunning = false
        var isAskedAgain = false
        var attempts = 0
        /// Nothing is asked before; nil: not by itself.
        var next: Duration? = .zero
        /// What was said no to; it is not asked for again before the provider says that something is resolved.
        var refused: Set<SideStep> = []
        /// When that is asked for once more all the same: others make room, and nobody says so.
        var refusedUntil: Duration?
        /// How often something was said to be resolved.
        var generation = 0
        /// What the remote has said of this device's sides before this host began is asked for once more.
        var hasBegun = false
        /// What was listed of late.
        var listings: [ItemIdentifier: Listings] = [:]
        /// Documents that are being settled, as their conflict was resolved elsewhere; and whether that was said of them once more
        /// meanwhile.
        var settling: [ItemIdentifier: Bool] = [:]
    }

    /// How often a document's sides were listed since a time.
    private struct Listings {
        var began: Duration
        var count = 0

        /// What changes on and on is listed so often in that time.
        static let most = 10
        static let time = Duration.seconds(10)
    }

    /// For those who use a document.
    private static let patience = Duration.seconds(2)
    /// Others need not wait any longer for what is wrong with one document.
    private static let longest = Duration.seconds(30)

    private let state = Mutex<[DomainName: Standing]>([:])
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let broker: CoordinationBroker
    private let pauses: PauseGate
    private let sides: SideStore
    private let work: WorkGroup
    private let wakes: DomainWakes
    private let retry: RetryPolicy
    private let clock: @Sendable () -> Duration
    private let logger: Logger
    /// Gives a document the remote's contents, when its own are just those that were kept.
    private let follower = Mutex<Follower?>(nil)

    /// A structure, so that it is not wrapped anew whenever the lock is taken: see ``Hook``.
    private struct Follower: Sendable {
        let follow: @Sendable (IndexedItem, OwnSide) async throws(DocumentError) -> Void
    }

    init(
        storage: StorageThreads, domains: DomainRegistry, broker: CoordinationBroker, pauses: PauseGate,
        sides: SideStore, work: WorkGroup, retry: RetryPolicy, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.broker = broker
        self.pauses = pauses
        self.sides = sides
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        self.retry = retry
        self.clock = clock
        self.logger = logger
    }

    /// Says who ends a conflict that was resolved elsewhere.
    func follows(_ body: @escaping @Sendable (IndexedItem, OwnSide) async throws(DocumentError) -> Void) {
        follower.withLock { $0 = Follower(follow: body) }
    }

    /// Called where the index was written: there may be a conflict more, or less.
    func indexWasWritten() {
        for domain in domains.all where domain.keepsVersions { wake(domain.name) }
    }

    /// What was wrong is over, as the provider says, or somebody has resumed what was paused.
    func resolved(_ domain: DomainName) {
        state.withLock { state in
            state[domain]?.next = .zero
            state[domain]?.attempts = 0
            state[domain]?.refused = []
            state[domain]?.refusedUntil = nil
            state[domain]?.generation += 1
        }
        if domains.find(domain)?.keepsVersions == true { wake(domain) }
    }

    private func wake(_ domain: DomainName) {
        let now = clock()
        let begins = state.withLock { state in
            var standing = state[domain] ?? Standing()
            defer { state[domain] = standing }
            guard !standing.isRunning else {
                standing.isAskedAgain = true
                return false
            }
            guard let next = standing.next, next <= now else { return false }
            standing.isRunning = true
            return true
        }
        guard begins else { return }
        let isAdded = work.add { [self] in await run(domain) }
        if !isAdded { state.withLock { $0[domain]?.isRunning = false } }
    }

    private func run(_ name: DomainName) async {
        while true {
            let (generation, begins) = beginRound(of: name)
            var isLeft = false
            var failure: DocumentError?
            do throws(DocumentError) {
                if let domain = domains.find(name), domain.keepsVersions {
                    if begins { try await storage.run { try $0.listOwnSidesAgain(in: name) } }
                    isLeft = try await round(of: domain)
                }
            } catch {
                failure = error
            }
            if ended(name, failure, isLeft: isLeft, since: generation) { return }
        }
    }

    private func beginRound(of name: DomainName) -> (generation: Int, isFirst: Bool) {
        let now = clock()
        return state.withLock { state in
            var standing = state[name] ?? Standing()
            defer { state[name] = standing }
            standing.isAskedAgain = false
            if let until = standing.refusedUntil, until <= now {
                (standing.refused, standing.refusedUntil) = ([], nil)
            }
            standing.listings = standing.listings.filter { now - $0.value.began < Listings.time }
            let isFirst = !standing.hasBegun
            standing.hasBegun = true
            return (standing.generation, isFirst)
        }
    }

    /// - Returns: whether nothing is to be done for now.
    private func ended(
        _ name: DomainName, _ failure: DocumentError?, isLeft: Bool, since generation: Int
    ) -> Bool {
        let now = clock()
        let jitter = Double.random(in: 0...1)
        let (isOver, next) = state.withLock { state -> (Bool, Duration?) in
            var standing = state[name] ?? Standing()
            defer { state[name] = standing }
            if let failure {
                standing.attempts += 1
                switch retry.decision(for: failure, attempt: standing.attempts, jitter: jitter) {
                case .retry(let pause) where failure.isOfTheProvider: standing.next = now + pause
                // What is wrong with one document keeps nothing from the others for long.
                case .retry(let pause): standing.next = now + min(pause, Self.longest)
                case .hold, .giveUp: standing.next = nil
                }
            } else {
                standing.attempts = 0
                standing.next = isLeft ? now + Self.patience : .zero
            }
            // It was said to be resolved meanwhile: what was found before that counts no more.
            if standing.generation != generation {
                (standing.next, standing.refused, standing.attempts) = (.zero, [], 0)
                standing.isAskedAgain = true
            }
            if standing.isAskedAgain, standing.next == .zero, !Task.isCancelled { return (false, nil) }
            standing.isRunning = false
            let next = standing.next == .zero ? nil : standing.next
            return (true, [next, standing.refusedUntil].compactMap { $0 }.min())
        }
        if let failure, failure.code != .cancelled {
            logger.notice(
                "sides of conflicts could not be kept in step",
                metadata: ["domain": "\(name)", "error": "\(failure)"])
        }
        wakes.wake(name, at: next) { [self] in wake(name) }
        return isOver
    }

    // MARK: One round

    /// - Returns: whether something waits for those who use a document.
    private func round(of domain: Domain) async throws(DocumentError) -> Bool {
        let name = domain.name
        let steps = try storage.read { try $0.sideSteps(in: name) }
        var isLeft = false
        var failure: DocumentError?
        for step in steps {
            if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
            guard state.withLock({ $0[name]?.refused.contains(step) }) != true, try !isPaused(step, in: name) else {
                continue
            }
            do throws(DocumentError) {
                if try await !carryOut(step, on: domain) { isLeft = true }
            } catch {
                guard !error.isOfTheProvider else { throw error }
                // What is wrong with one document keeps nothing from the others, and may end by that.
                if error.code.errorClass == .transient {
                    failure = failure ?? error
                } else {
                    isRefused(step, in: name, because: error)
                }
            }
        }
        if let failure { throw failure }
        return isLeft
    }

    private func isRefused(_ step: SideStep, in domain: DomainName, because error: DocumentError) {
        let until = error.code == .insufficientQuota ? clock() + retry.longest : nil
        state.withLock { state in
            state[domain]?.refused.insert(step)
            if let until { state[domain]?.refusedUntil = until }
        }
        logger.notice(
            "a side of a conflict could not be kept in step",
            metadata: ["domain": "\(domain)", "item.id": "\(step.itemID)", "error": "\(error)"])
    }

    private func isPaused(_ step: SideStep, in domain: DomainName) throws(DocumentError) -> Bool {
        guard step.isTransfer else { return false }
        let key = ItemKey(domain: domain, id: step.itemID)
        if try pauses.isPaused(key) { return true }
        return try storage.read { index in
            guard let item = try index.item(key.id, in: domain) else { return false }
            return try index.marks(of: item).keeping == .excluded
        }
    }

    /// - Returns: false when that is to be tried again: somebody uses the document, or it changes too fast.
    private func carryOut(_ step: SideStep, on domain: Domain) async throws(DocumentError) -> Bool {
        switch step {
        case .keep(let item, _): return try await sides.keep(item, on: domain, pausedBy: pauses)
        case .drop(let side): try await sides.drop(side, on: domain)
        case .remove(let side): try await sides.remove(side, on: domain)
        case .list(let item, _):
            guard isTimeToList(item.id, in: domain.name) else { return false }
            let change = try await sides.list(item, on: domain)
            if let own = change.own { settle(own, in: domain.name) }
        }
        return true
    }

    private func isTimeToList(_ id: ItemIdentifier, in domain: DomainName) -> Bool {
        let now = clock()
        return state.withLock { state in
            var listings = state[domain]?.listings[id] ?? Listings(began: now)
            guard listings.count < Listings.most else { return false }
            listings.count += 1
            state[domain]?.listings[id] = listings
            return true
        }
    }

    /// What was kept of a document is gone at the remote: its conflict was resolved elsewhere.
    private func settle(_ own: OwnSide, in domain: DomainName) {
        guard let follow = follower.withLock({ $0 })?.follow, beginSettling(own.itemID, in: domain) else { return }
        let isAdded = work.add { [self] in
            do throws(DocumentError) {
                if let item = try storage.read({ try $0.item(own.itemID, in: domain) }) { try await follow(item, own) }
            } catch {
                if error.code != .cancelled {
                    logger.notice(
                        "a conflict that was resolved elsewhere is left to be resolved here, too",
                        metadata: ["domain": "\(domain)", "item.id": "\(own.itemID)", "error": "\(error)"])
                    // It is looked at once more, and not at once: somebody may use the document.
                    try? await Task.sleep(for: Self.longest)
                    _ = beginSettling(own.itemID, in: domain)
                }
            }
            // What was resolved elsewhere meanwhile was kept anew before that.
            if endSettling(own.itemID, in: domain) {
                try? await storage.run { try $0.listSidesAgain(of: own.itemID, in: domain) }
            }
        }
        if !isAdded { _ = endSettling(own.itemID, in: domain) }
    }

    /// - Returns: false when it is being settled already; then ``endSettling(_:in:)`` tells that it was said once more.
    private func beginSettling(_ id: ItemIdentifier, in domain: DomainName) -> Bool {
        state.withLock { state in
            let isUnderWay = state[domain]?.settling[id] != nil
            state[domain, default: Standing()].settling[id] = isUnderWay
            return !isUnderWay
        }
    }

    private func endSettling(_ id: ItemIdentifier, in domain: DomainName) -> Bool {
        state.withLock { $0[domain]?.settling.removeValue(forKey: id) } == true
    }
}

extension DocumentError {
    /// Whether nothing else would come of another question just now.
    fileprivate var isOfTheProvider: Bool {
        let codes: [Code] = [.serverUnreachable, .notAuthenticated, .providerDied, .providerUnavailable, .cancelled]
        return codes.contains(code)
    }
}

extension Domain {
    /// Whether its remote keeps both sides of a conflict.
    var keepsVersions: Bool { bundle.manifest.capabilities.contains(.versions) && isModifying && !isDropBox }
}
