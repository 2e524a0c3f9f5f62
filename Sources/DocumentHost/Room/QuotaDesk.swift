import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher
import Synchronization

/// What remotes have said of their room (CONT-13): asked for when somebody wants to know it, and seldom; remembered for when
/// they cannot be asked. Nobody waits for it but who asks for just that.
final class QuotaDesk: Sendable {
    private struct State {
        /// When each was asked last, and when it answered last.
        var asked: [DomainName: Duration] = [:]
        var answered: [DomainName: Duration] = [:]
    }

    /// How long what was said is good enough.
    static let freshness = Duration.seconds(60)
    /// How long whoever asks waits at most; the answer is remembered all the same.
    private static let patience = Duration.seconds(5)

    private let state = Mutex(State())
    private let storage: StorageThreads
    private let asks: SharedTransfers<DomainName, Void>
    private let hub: EventHub
    private let work: WorkGroup
    private let clock: @Sendable () -> Duration
    /// In seconds since 1970.
    private let date: @Sendable () -> Int64
    private let logger: Logger

    init(
        storage: StorageThreads, asks: SharedTransfers<DomainName, Void>, hub: EventHub, work: WorkGroup,
        clock: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.storage = storage
        self.asks = asks
        self.hub = hub
        self.work = work
        self.clock = clock
        self.date = date
        self.logger = logger
    }

    /// What was said last; nil when nothing was.
    func known(of name: DomainName) -> ToldQuota? { (try? storage.read { try $0.quota(of: name) }) ?? nil }

    /// Asks, where what is known is older than a minute, and waits some seconds for it.
    ///
    /// - Throws: why there is no answer.
    func ask(_ domain: Domain) async throws(DocumentError) {
        guard domain.tellsQuota, isDue(domain.name, \.answered) else { return }
        let outcome = await withTaskGroup(of: Result<Void, DocumentError>?.self) { group in
            group.addTask { [self] in
                do throws(DocumentError) {
                    try await asks.join(domain.name, onProgress: nil, goesOn: { true }) { _ throws(DocumentError) in
                        try await self.take(from: domain)
                    }
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let outcome else {
            throw DocumentError(.busy, "The provider of \(domain.name) has not said yet how much room there is.")
        }
        try outcome.get()
    }

    /// The same for somebody who does not wait, of a provider that runs anyway.
    func askLater(_ domain: Domain) {
        // Where nobody is signed in, nothing knocks.
        guard domain.tellsQuota, domain.isRunning, domain.signIn.problem == nil, isDue(domain.name, \.asked) else {
            return
        }
        // Others that come before it has begun.
        state.withLock { $0.asked[domain.name] = clock() }
        work.add { [self] in
            do throws(DocumentError) {
                try await ask(domain)
            } catch {
                logger.debug(
                    "how much room there is was not said",
                    metadata: ["domain": "\(domain.name)", "error": "\(error)"])
            }
        }
    }

    private func isDue(_ name: DomainName, _ times: KeyPath<State, [DomainName: Duration]>) -> Bool {
        let last = state.withLock { $0[keyPath: times][name] }
        return last.map { clock() - $0 >= Self.freshness } ?? true
    }

    private func take(from domain: Domain) async throws(DocumentError) {
        state.withLock { $0.asked[domain.name] = clock() }
        let quota: RemoteQuota
        do throws(DocumentError) {
            quota = try await domain.provider.quota()
        } catch {
            // It declares what this process of it cannot.
            guard error.code == .unimplemented else { throw error }
            quota = .unknown
        }
        let told = quota == .unknown ? nil : ToldQuota(quota, asOf: Timestamp(seconds: date()))
        let before = known(of: domain.name)
        let name = domain.name
        // It can be asked again.
        try await storage.run { store in
            try store.root.index.write(durably: false) { try $0.setQuota(told, of: name) }
        }
        state.withLock { $0.answered[name] = clock() }
        if before?.quota != told?.quota { hub.domainChanged(name) }
    }
}

extension Domain {
    fileprivate var tellsQuota: Bool { !isDropBox && bundle.manifest.capabilities.contains(.quota) }
}
