import DocumentModel
import Synchronization

/// The next time at which something is due in each domain: a task sleeps until then, and does it.
final class DomainWakes: Sendable {
    private let times = Mutex<[DomainName: Duration]>([:])
    private let work: WorkGroup
    private let clock: @Sendable () -> Duration

    /// - Parameter clock: counts from some moment, and never backwards.
    init(work: WorkGroup, clock: @escaping @Sendable () -> Duration) {
        self.work = work
        self.clock = clock
    }

    /// Calls the closure at that time, unless a domain is woken by then anyway: whoever is woken asks again for what is due
    /// later. A nil time is no time.
    func wake(_ domain: DomainName, at time: Duration?, _ body: @escaping @Sendable () async -> Void) {
        guard let time else { return }
        let isEarlier = times.withLock { times in
            guard times[domain].map({ time < $0 }) ?? true else { return false }
            times[domain] = time
            return true
        }
        guard isEarlier else { return }
        work.add { [self] in
            try? await Task.sleep(for: max(.zero, time - clock()))
            guard !Task.isCancelled else { return }
            times.withLock { times in
                if times[domain] == time { times[domain] = nil }
            }
            await body()
        }
    }
}
