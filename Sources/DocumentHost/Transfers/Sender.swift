import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging
import Synchronization

/// Sends what was changed here to the providers: soon, a few at a time, and again when it did not work.
final class Sender: Sendable {
    /// How many documents go out at once, over all domains.
    static let width = 8

    private struct State {
        /// Items that a background task takes care of.
        var active: Set<ItemKey> = []
        /// Those that were asked for again meanwhile.
        var again: Set<ItemKey> = []
        /// Sleeping retries, to be woken.
        var naps: [ItemKey: Task<Void, Never>] = [:]
    }

    private let state = Mutex(State())
    private let storage: StorageThreads
    private let delivery: Delivery
    private let transfers: SharedTransfers<ItemKey, Void>
    private let work: WorkGroup
    private let retry: RetryPolicy
    private let logger: Logger

    init(
        storage: StorageThreads, delivery: Delivery, work: WorkGroup, executor: any TaskExecutor, retry: RetryPolicy,
        logger: Logger
    ) {
        self.storage = storage
        self.delivery = delivery
        self.work = work
        self.retry = retry
        self.logger = logger
        transfers = SharedTransfers(work: work, executor: executor)
    }

    /// Has an item sent in the background.
    func enqueue(_ key: ItemKey) {
        let (isNew, nap) = state.withLock { state -> (Bool, Task<Void, Never>?) in
            guard state.active.insert(key).inserted else {
                state.again.insert(key)
                return (false, state.naps.removeValue(forKey: key))
            }
            return (true, nil)
        }
        nap?.cancel()
        if isNew { work.add { [self] in await keepSending(key) } }
    }

    /// Has everything of a domain sent that waits for something: the provider said that it is resolved, or runs again.
    func enqueueAll(of domain: DomainName?) throws(DocumentError) {
        for state in [ItemState.changed, .sending] {
            var row: Int64 = 0
            while true {
                let page = try storage.read { try $0.items(in: state, of: domain, after: row, limit: 500) }
                guard let last = page.last else { break }
                for item in page { enqueue(item.key) }
                row = last.row
            }
        }
    }

    /// Sends an item now, or waits for the sending under way.
    ///
    /// - Throws: what keeps it from being sent; it stays kept, and is tried again in the background.
    func send(_ key: ItemKey, onProgress: (@Sendable (TransferProgress?) -> Void)? = nil) async throws(DocumentError) {
        try await transfers.join(key, onProgress: onProgress) { [self] report throws(DocumentError) in
            try await delivery.deliver(key, report)
        }
    }

    func progress(of key: ItemKey) -> TransferProgress? { transfers.progress(of: key) }

    var isBusy: Bool { !state.withLock { $0.active.isEmpty } }

    private func keepSending(_ key: ItemKey) async {
        var failures = 0
        while !Task.isCancelled {
            state.withLock { _ = $0.again.remove(key) }
            do throws(DocumentError) {
                try await send(key)
                failures = 0
            } catch {
                failures += 1
                guard await shouldRetry(key, error, failures) else { break }
                continue
            }
            let isDone = state.withLock { state in
                guard !state.again.contains(key) else { return false }
                state.active.remove(key)
                return true
            }
            if isDone { return }
        }
        let wasAskedAgain = state.withLock { state in
            state.active.remove(key)
            return state.again.remove(key) != nil
        }
        if wasAskedAgain, !Task.isCancelled { enqueue(key) }
    }

    private func shouldRetry(_ key: ItemKey, _ error: DocumentError, _ failures: Int) async -> Bool {
        let decision = retry.decision(for: error, attempt: failures, jitter: .random(in: 0...1))
        logger.notice(
            "a document could not be sent",
            metadata: [
                "domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)", "next": "\(decision)",
            ])
        guard case .retry(let delay) = decision else { return false }
        // A handle, so that somebody who wants it sooner can end the nap.
        let nap = Task { _ = try? await Task.sleep(for: delay) }
        let isWanted = state.withLock { state in
            state.naps[key] = nap
            return state.again.contains(key)
        }
        if isWanted { nap.cancel() }
        await withTaskCancellationHandler {
            await nap.value
        } onCancel: {
            nap.cancel()
        }
        state.withLock { _ = $0.naps.removeValue(forKey: key) }
        return !Task.isCancelled
    }
}
