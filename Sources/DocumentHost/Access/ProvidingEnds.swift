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
    }

    /// A provider is told after one to two of these.
    private static let grace = Duration.milliseconds(100)

    private let broker: CoordinationBroker
    private let domains: DomainRegistry
    private let work: WorkGroup
    private let logger: Logger
    private let state = Mutex(State())

    init(broker: CoordinationBroker, domains: DomainRegistry, work: WorkGroup, logger: Logger) {
        self.broker = broker
        self.domains = domains
        self.work = work
        self.logger = logger
    }

    /// A claim has ended, perhaps the last one. A provider that does not run has nothing to drop.
    func claimEnded(on key: ItemKey) {
        guard !broker.isClaimed(key), domains.find(key.domain)?.isRunning == true else { return }
        let isFirst = state.withLock { state in
            state.recent.insert(key)
            state.earlier.remove(key)
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
                defer { (state.earlier, state.recent) = (state.recent, []) }
                state.isLooking = !(state.recent.isEmpty && state.earlier.isEmpty)
                return (state.earlier, !state.isLooking)
            }
            for key in due { tell(key) }
            if isDone { return }
        }
    }

    private func tell(_ key: ItemKey) {
        // What its provider does not know yet, it does not provide.
        if key.id.isArriving { return }
        guard let domain = domains.find(key.domain), domain.isRunning else { return }
        work.add { [self] in
            guard !broker.isClaimed(key) else { return }
            do throws(DocumentError) {
                try await domain.provider.stopProviding(key.id)
            } catch {
                logger.debug("stopProviding failed", metadata: ["item.id": "\(key.id)", "error": "\(error)"])
            }
        }
    }
}
