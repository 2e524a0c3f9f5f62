import DocumentModel
import DocumentStorage
import DocumentSync
import Logging
import Synchronization

/// Lists folders in the background that nobody has looked into yet, near to where programs look at a mounted tree: so that the
/// index answers them, and no provider. The shell around ``DiscoverySchedule``.
final class FolderDiscovery: Sendable {
    private let schedules = Mutex<[DomainName: DiscoverySchedule]>([:])
    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let follower: ChangeFollower
    private let rules: @Sendable (DomainName) -> DomainRules
    private let work: WorkGroup
    private let wakes: DomainWakes
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameter clock: counts from some moment, and never backwards.
    init(
        storage: StorageThreads, domains: DomainRegistry, follower: ChangeFollower,
        rules: @escaping @Sendable (DomainName) -> DomainRules, work: WorkGroup,
        clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.follower = follower
        self.rules = rules
        self.work = work
        wakes = DomainWakes(work: work, clock: clock)
        self.clock = clock
        self.logger = logger
    }

    /// A program looked at a folder that is known. Nothing is done for a domain in which nothing is to be looked at in the
    /// background.
    func lookedAt(_ folder: ItemIdentifier, in domain: Domain) {
        let name = domain.name
        guard rules(name).lookAgain > .zero else { return }
        work.add { [self] in
            guard let inside = try? await unlisted(in: folder, of: name) else { return }
            let now = clock()
            let isOld = schedules.withLock { schedules in
                schedules[name, default: DiscoverySchedule()].lookedAt(folder, inside, at: now)
            }
            arm(name)
            // Nobody tells what has changed since then: who looks first sees that a moment later.
            guard isOld, !domain.hasFeed, domain.signIn.problem == nil else { return }
            _ = try? await follower.listAgain(folder, of: domain)
        }
    }

    private func unlisted(
        in folder: ItemIdentifier, of domain: DomainName
    ) async throws(DocumentError) -> [ItemIdentifier] {
        try await storage.run { store in try store.root.index.read { try $0.unlistedFolders(in: folder, of: domain) } }
    }

    func removed(_ domain: DomainName) {
        schedules.withLock { $0[domain] = nil }
    }

    private func arm(_ domain: DomainName) {
        let now = clock()
        wakes.wake(domain, at: schedules.withLock { $0[domain]?.nextDeadline(after: now) }) { [self] in
            await listNext(in: domain)
            arm(domain)
        }
    }

    private func listNext(in name: DomainName) async {
        let began = clock()
        guard rules(name).lookAgain > .zero, let domain = domains.find(name) else { return removed(name) }
        guard let folder = schedules.withLock({ $0[name]?.next(at: began) }) else { return }
        let finding = await list(folder, of: domain)
        let now = clock()
        schedules.withLock { $0[name]?.listed(folder, finding, since: began, at: now) }
    }

    private func list(_ folder: ItemIdentifier, of domain: Domain) async -> DiscoverySchedule.Finding {
        // With what was refused nobody knocks again unasked: accounts are locked for less (PROV-22).
        guard domain.signIn.problem == nil else { return .failed }
        do throws(DocumentError) {
            // Somebody may have looked into it meanwhile.
            if try !storage.read({ try $0.listing(of: folder, in: domain.name).isComplete }) {
                try await follower.list(folder, of: domain)
            }
            return .listed(inside: try await unlisted(in: folder, of: domain.name))
        } catch {
            logger.info(
                "a folder could not be looked into in advance",
                metadata: ["domain": "\(domain.name)", "item.id": "\(folder)", "error": "\(error)"])
            return error.mayPass && error.code != .contractBroken ? .failed : .refused
        }
    }
}
