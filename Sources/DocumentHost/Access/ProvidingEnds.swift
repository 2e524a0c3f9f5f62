import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// Tells providers that nobody needs a document any more (PROV-10, PROV-16): a little after its last claim has ended, so
/// that one that is opened again and again is not given up each time.
final class ProvidingEnds: Sendable {
    private struct State {
        /// Whose last claim ended since the last look, and before that.
        var recent: Set<ItemKey> = []
        var earlier: Set<ItemKey> = []
        var isLooking = false
        /// The documents that were brought for who accesses a package or a folder as one, by that.
        var parts: [ItemKey: Set<ItemKey>] = [:]

        mutating func notice(_ key: ItemKey) {
            recent.insert(key)
            earlier.remove(key)
        }

        /// What was made here may have been sent since, and have another identifier.
        mutating func follow(_ current: (ItemKey) -> ItemKey) {
            recent = Set(recent.map(current))
            earlier = Set(earlier.map(current))
            let known = parts.map { (current($0), Set($1.map(current))) }
            parts = Dictionary(known) { $0.union($1) }
        }
    }

    /// A provider is told after one to two of these.
    private static let grace = Duration.milliseconds(100)

    private let known: KnownItems
    private let broker: CoordinationBroker
    private let accesses: AccessTable
    private let domains: DomainRegistry
    private let work: WorkGroup
    private let logger: Logger
    private let state = Mutex(State())
    /// Somebody else who is to know when a claim has ended.
    private let listener = Mutex<Hook<ItemKey>?>(nil)

    init(
        known: KnownItems, broker: CoordinationBroker, accesses: AccessTable, domains: DomainRegistry,
        work: WorkGroup, logger: Logger
    ) {
        self.known = known
        self.broker = broker
        self.accesses = accesses
        self.domains = domains
        self.work = work
        self.logger = logger
    }

    /// Whether it waits for nothing but an access's end: else it looks again in a moment.
    var isIdle: Bool { state.withLock { !$0.isLooking } }

    /// A document was brought because of an access to what it lies in: when that ends, nobody needs it any more.
    func started(_ part: ItemKey, for whole: ItemKey) {
        state.withLock { _ = $0.parts[whole, default: []].insert(part) }
    }

    func onClaimEnded(_ listener: @escaping @Sendable (ItemKey) -> Void) {
        self.listener.withLock { $0 = Hook(listener) }
    }

    /// A claim has ended, perhaps the last one. A provider that does not run has nothing to drop.
    ///
    /// - Parameter key: by the identifier that it has now.
    func claimEnded(on key: ItemKey) {
        listener.withLock { $0 }?(key)
        guard domains.find(key.domain)?.isRunning == true else {
            return state.withLock { $0.parts[key] = nil }
        }
        let package = package(around: key)
        guard !isClaimed(key) else { return putOff(key) }
        notice { state in
            if let package, var parts = state.parts[package] {
                // It does not go with the package once more.
                parts.remove(key)
                state.parts[package] = parts.isEmpty ? nil : parts
                // It may have been the last one in a package of which somebody else had all.
                if !parts.isEmpty { state.notice(package) }
            }
            state.notice(key)
        }
    }

    /// An access has come to nothing: what was brought for it already, nobody needs.
    func gaveUp(on key: ItemKey) { notice { $0.notice(key) } }

    private func notice(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            change(&state)
            guard !state.recent.isEmpty else { return false }
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if isFirst { work.add { [self] in await look() } }
    }

    private func look() async {
        while true {
            // It throws when the host ends: then the providers end, too.
            do { try await Task.sleep(for: Self.grace) } catch { return }
            let (due, isDone) = state.withLock { state in
                state.follow(broker.current)
                defer { (state.earlier, state.recent) = (state.recent, []) }
                state.isLooking = !(state.recent.isEmpty && state.earlier.isEmpty)
                return (state.earlier, !state.isLooking)
            }
            for key in due { tell(key) }
            if isDone { return }
        }
    }

    private func isClaimed(_ key: ItemKey) -> Bool {
        guard let item = (try? known.item(key)) ?? nil else { return broker.isClaimed(key) }
        return broker.isClaimed(item.coordinated)
    }

    /// Somebody has it. Who accesses it, or something in the package that it lies in, has it told in the end. The host, which
    /// sends or brings it, or looks at it, does not say when it is through: it is asked for again.
    private func putOff(_ key: ItemKey) {
        let package = package(around: key)
        // Before that is asked: whose access ends from here on sees it.
        if let package { started(key, for: package) }
        // By their claims, which follow an item whatever becomes of its identifier.
        guard !accesses.holdsAny(of: broker.claims(on: package ?? key)) else { return }
        notice { $0.notice(package ?? key) }
    }

    private func tell(_ key: ItemKey) {
        // What its provider does not know yet, it does not provide.
        if key.id.isArriving { return }
        guard let domain = domains.find(key.domain), domain.isRunning else {
            return state.withLock { $0.parts[key] = nil }
        }
        guard !isClaimed(key) else { return putOff(key) }
        guard let parts = state.withLock({ $0.parts.removeValue(forKey: key) }) else {
            // It was started, or is a folder, which is not.
            let kind = ((try? known.item(key)) ?? nil)?.item.item.kind
            if kind == nil || kind == .document { stop(key, domain) }
            return
        }
        for part in parts { stop(part, domain) }
    }

    /// The outermost one, with which its parts are claimed.
    private func package(around key: ItemKey) -> ItemKey? {
        guard let item = (try? known.item(key)) ?? nil, case .item(let claimed) = item.coordinated.claimed,
            claimed != key
        else { return nil }
        return claimed
    }

    private func stop(_ key: ItemKey, _ domain: Domain) {
        work.add { [self] in
            guard !isClaimed(key) else { return putOff(key) }
            do throws(DocumentError) {
                try await domain.provider.stopProviding(key.id)
            } catch {
                logger.debug("stopProviding failed", metadata: ["item.id": "\(key.id)", "error": "\(error)"])
            }
        }
    }
}
