import DocumentModel
import DocumentSync
import Logging
import Synchronization

/// Lists again, in the background and sparingly, what somebody looked at, or wants current, in a domain whose provider is not
/// known to tell of changes; where it tells them, it is asked for them, as it may have been ended for having nothing to do: the shell around
/// ``LookoutSchedule``.
final class FolderLookout: Sendable {
    private let schedules = Mutex<[DomainName: LookoutSchedule]>([:])
    private let domains: DomainRegistry
    private let follower: ChangeFollower
    private let rules: @Sendable (DomainName) -> DomainRules
    private let wakes: DomainWakes
    private let clock: @Sendable () -> Duration
    private let logger: Logger

    /// - Parameter clock: counts from some moment, and never backwards.
    init(
        domains: DomainRegistry, follower: ChangeFollower, rules: @escaping @Sendable (DomainName) -> DomainRules,
        work: WorkGroup, clock: @escaping @Sendable () -> Duration, logger: Logger
    ) {
        self.domains = domains
        self.follower = follower
        self.rules = rules
        wakes = DomainWakes(work: work, clock: clock)
        self.clock = clock
        self.logger = logger
    }

    /// Somebody looked at a folder, and it was listed for them.
    func lookedAt(_ folder: ItemIdentifier, in domain: Domain) {
        // Its feed is of all folders.
        let folder = domain.hasFeed ? domain.rootID : folder
        let interval = rules(domain.name).lookAgain
        let (now, jitter) = (clock(), Double.random(in: 0...1))
        schedules.withLock { schedules in
            var schedule = schedules[domain.name] ?? LookoutSchedule()
            schedule.rules.interval = interval
            // Somebody who has it looked at seldom is interested for longer.
            schedule.rules.interest = max(.seconds(3600), interval * 3)
            schedule.lookedAt(folder, at: now, jitter: jitter)
            schedules[domain.name] = schedule
        }
        arm(domain.name)
    }

    /// What is in these folders is to be current though nobody looks (XFER-14), until ``keepNothing(in:)``.
    func keep(_ folders: [ItemIdentifier], in domain: Domain) {
        let folders = domain.hasFeed ? [domain.rootID] : folders
        let interval = rules(domain.name).lookAgain
        let (now, jitter) = (clock(), Double.random(in: 0...1))
        schedules.withLock { schedules in
            schedules[domain.name, default: LookoutSchedule()].rules.interval = interval
            schedules[domain.name]?.keep(folders, at: now, jitter: jitter)
        }
        arm(domain.name)
    }

    func keepNothing(in domain: DomainName) { schedules.withLock { $0[domain]?.keepNothing() } }

    /// What the user chose has changed: it counts from when somebody looks again.
    func changed(_ domain: DomainName) {
        let interval = rules(domain).lookAgain
        schedules.withLock { $0[domain]?.rules.interval = interval }
    }

    func removed(_ domain: DomainName) {
        schedules.withLock { $0[domain] = nil }
    }

    private func arm(_ domain: DomainName) {
        // Of one that is just being signed out, or cannot be used, what is due stays due: it would be waited for no time at all.
        guard domains.find(domain) != nil else { return }
        let now = clock()
        wakes.wake(domain, at: schedules.withLock { $0[domain]?.nextDeadline(after: now) }) { [self] in
            await listWhatIsDue(domain)
            arm(domain)
        }
    }

    private func listWhatIsDue(_ name: DomainName) async {
        while !Task.isCancelled {
            let now = clock()
            guard let domain = domains.find(name),
                let folder = schedules.withLock({ $0[name]?.next(at: now) })
            else { return }
            let finding = await list(folder, of: domain)
            let (then, jitter) = (clock(), Double.random(in: 0...1))
            schedules.withLock { $0[name]?.listed(folder, finding, at: then, jitter: jitter) }
        }
    }

    private func list(_ folder: ItemIdentifier, of domain: Domain) async -> LookoutSchedule.Finding {
        // With what was refused nobody knocks again unasked: accounts are locked for less (PROV-22).
        guard domain.signIn.problem == nil else { return .failed }
        do throws(DocumentError) {
            // It may not have been asked yet. One that tells of changes is followed, and nothing is listed any more: but for
            // the top folder, which stands for all of them.
            try await follower.freshen(domain)
            if domain.hasFeed { return folder == domain.rootID ? .asked : .gone }
            return try await follower.listAgain(folder, of: domain) ? .news : .nothingNew
        } catch {
            logger.info(
                "a folder could not be looked at again",
                metadata: ["domain": "\(domain.name)", "item.id": "\(folder)", "error": "\(error)"])
            return error.code == .noSuchItem ? .gone : .failed
        }
    }
}
