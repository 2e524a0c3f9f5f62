import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// Looks, when somebody is told that something stays in its old place (CONT-7), whether it still does: whoever looks next is
/// told what is so by then. Nobody waits for it, and there is one look at a time: the old place may be on a file system that does
/// not answer.
final class StayingSources: Sendable {
    private let storage: StorageThreads
    private let work: WorkGroup
    private let logger: Logger
    private let isLooking = Mutex(false)

    init(storage: StorageThreads, work: WorkGroup, logger: Logger) {
        self.storage = storage
        self.work = work
        self.logger = logger
    }

    /// - Parameter items: what somebody is told of.
    func lookLater(at items: [ItemStatus]) {
        let sources = items.compactMap { item in
            item.problem.flatMap { StayingSource($0.code, $0.message) }.map { source in
                (key: ItemKey(domain: item.location.domain, id: item.item.id), source: source)
            }
        }
        guard !sources.isEmpty, begins() else { return }
        work.add { [self] in
            do throws(DocumentError) {
                try await storage.runOutside { store, _ in
                    for (key, source) in sources { try store.lookAgain(at: source, of: key.id, in: key.domain) }
                }
            } catch {
                logger.notice(
                    "what stayed in its old place was not looked for again", metadata: ["error": "\(error)"])
            }
            isLooking.withLock { $0 = false }
        }
    }

    /// - Returns: false while somebody looks.
    private func begins() -> Bool {
        isLooking.withLock { isLooking in
            defer { isLooking = true }
            return !isLooking
        }
    }
}
