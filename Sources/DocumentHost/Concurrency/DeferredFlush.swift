import DocumentModel
import DocumentStorage
import DocumentTransport
import Logging
import Synchronization

/// Has what was recorded of many documents written to disk at once, soon: for what the provider has by then, which is looked
/// at once more, and found to be there, when the machine fails before.
final class DeferredFlush: Sendable {
    static let delay = Duration.milliseconds(50)

    private let storage: StorageThreads
    private let work: WorkGroup
    private let loop: EventLoop
    private let logger: Logger
    private let isAwaited = Atomic<Bool>(false)

    init(storage: StorageThreads, work: WorkGroup, loop: EventLoop, logger: Logger) {
        self.storage = storage
        self.work = work
        self.loop = loop
        self.logger = logger
    }

    /// What was recorded before this call is on disk a moment later.
    func request() {
        guard !isAwaited.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let isTaken = work.add { [self] in
            await loop.pause(Self.delay)
            // Who asks from here on is not sure to be among those that are written.
            isAwaited.store(false, ordering: .releasing)
            do throws(DocumentError) {
                try await storage.run { try $0.root.index.flush() }
            } catch {
                if error.code == .cancelled { return }
                logger.error("what was sent could not be recorded on disk", metadata: ["error": "\(error)"])
            }
        }
        if !isTaken { isAwaited.store(false, ordering: .releasing) }
    }
}
