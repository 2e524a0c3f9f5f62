import DocumentModel
import DocumentStorage
import DocumentWire
import Logging
import ProviderLauncher
import Synchronization

/// Asks providers for thumbnails, in the background, and keeps what they give.
final class ThumbnailFetcher: Sendable {
    typealias Outcomes = [ThumbnailKey: ThumbnailOutcome]
    typealias Batch = ThumbnailQueueStateMachine.Batch

    private struct State {
        var machine = ThumbnailQueueStateMachine()
        var lastRequest: UInt64 = 0
        var askers: [UInt64: CheckedContinuation<Outcomes?, Never>] = [:]
        var calls: [UInt64: Task<Void, Never>] = [:]
        /// Batches whose call was given up before it had begun.
        var givenUp: Set<UInt64> = []
    }

    private let storage: StorageThreads
    private let domains: DomainRegistry
    private let work: WorkGroup
    private let executor: (any TaskExecutor)?
    private let logger: Logger
    private let state = Mutex(State())

    init(
        storage: StorageThreads, domains: DomainRegistry, work: WorkGroup, executor: (any TaskExecutor)?, logger: Logger
    ) {
        self.storage = storage
        self.domains = domains
        self.work = work
        self.executor = executor
        self.logger = logger
    }

    /// - Returns: an outcome for each.
    /// - Throws: `cancelled` when the caller is.
    func fetch(_ keys: [ThumbnailKey]) async throws(DocumentError) -> Outcomes {
        let request = state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
        let outcomes = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let actions = state.withLock { state in
                    state.askers[request] = continuation
                    return state.machine.want(keys, by: request)
                }
                perform(actions)
                // Cancelled before there was somebody to be found.
                if Task.isCancelled { leave(request) }
            }
        } onCancel: {
            leave(request)
        }
        guard let outcomes else { throw DocumentError(.cancelled, "Asking for thumbnails was cancelled.") }
        return outcomes
    }

    private func leave(_ request: UInt64) {
        let (asker, actions) = state.withLock { state in
            (state.askers.removeValue(forKey: request), state.machine.leave(request))
        }
        asker?.resume(returning: nil)
        perform(actions)
    }

    private func perform(_ actions: [ThumbnailQueueStateMachine.Action]) {
        for action in actions {
            switch action {
            case .ask(let batch): begin(batch)
            case .cancel(let number):
                let call = state.withLock { state in
                    if state.calls[number] == nil { state.givenUp.insert(number) }
                    return state.calls[number]
                }
                call?.cancel()
            case .finish(let request, let outcomes):
                state.withLock { $0.askers.removeValue(forKey: request) }?.resume(returning: outcomes)
            }
        }
    }

    private func begin(_ batch: Batch) {
        let isTaken = work.add { [self] in
            // A handle, so that it can be given up when nobody waits; awaited here, so that it ends with the host.
            let call = Task(executorPreference: executor) {
                let outcomes: Outcomes
                do throws(DocumentError) {
                    outcomes = try await self.ask(batch)
                } catch {
                    outcomes = Self.failed(batch, error)
                }
                self.end(batch, outcomes)
            }
            let isGivenUp = state.withLock { state in
                // It may have ended by now; that it is given up is of no use to anybody then.
                if state.machine.isUnderWay(batch) { state.calls[batch.number] = call }
                return state.givenUp.remove(batch.number) != nil
            }
            if isGivenUp { call.cancel() }
            await withTaskCancellationHandler {
                await call.value
            } onCancel: {
                call.cancel()
            }
        }
        if !isTaken { end(batch, Self.failed(batch, WorkGroup.hasEnded)) }
    }

    private func end(_ batch: Batch, _ outcomes: Outcomes) {
        let actions = state.withLock { state in
            state.calls[batch.number] = nil
            state.givenUp.remove(batch.number)
            return state.machine.ended(batch, outcomes)
        }
        perform(actions)
    }

    private static func failed(_ batch: Batch, _ error: DocumentError) -> Outcomes {
        Outcomes(uniqueKeysWithValues: batch.keys.map { ($0, .failed(error)) })
    }

    // MARK: The call

    private func ask(_ batch: Batch) async throws(DocumentError) -> Outcomes {
        let domain = try domains.domain(batch.domain)
        let none = Outcomes(uniqueKeysWithValues: batch.keys.map { ($0, .missing) })
        // Its manifest says that it gives thumbnails; it may know better.
        let capabilities = try await domain.supervisor.withProvider { live throws(DocumentError) in live.capabilities }
        guard capabilities.contains(.thumbnails) else { return none }
        let call = ProviderCall.ThumbnailsCall(
            items: batch.keys.map { WantedThumbnail($0.id, contentVersion: $0.contentVersion) }, size: batch.size)
        let given: [ItemIdentifier: ThumbnailOutcome]
        do throws(DocumentError) {
            given = try await domain.provider.thumbnails(call)
        } catch {
            guard error.code == .unimplemented else { throw error }
            return none
        }
        var outcomes: Outcomes = [:]
        for key in batch.keys {
            guard let outcome = given[key.id] else { continue }
            if case .image(let thumbnail) = outcome { await keep(thumbnail, for: key) }
            outcomes[key] = isCurrent(key) ? outcome : .failed(Self.changed(key))
        }
        return outcomes
    }

    private func keep(_ thumbnail: Thumbnail, for key: ThumbnailKey) async {
        do throws(DocumentError) {
            try await storage.run { [self] store in
                try store.root.thumbnails.keep(thumbnail, for: key) { isCurrent(key) }
            }
        } catch {
            // It was for this one who asks; the next one asks the provider again.
            logger.notice("a thumbnail is not kept", metadata: ["domain": "\(key.domain)", "error": "\(error)"])
        }
    }

    /// Whether the item still has the contents that are to be seen.
    private func isCurrent(_ key: ThumbnailKey) -> Bool {
        guard domains.find(key.domain) != nil,
            let item = try? storage.read({ try $0.item(key.id, in: key.domain) })
        else { return false }
        return item.thumbnailVersion == key.contentVersion
    }

    private static func changed(_ key: ThumbnailKey) -> DocumentError {
        DocumentError(
            .versionNoLongerAvailable, "The item has changed while its thumbnail was asked for; ask again.",
            itemID: key.id)
    }
}

extension IndexedItem {
    /// Which contents a thumbnail has to show: those that people get when they open the item, as the provider has them. Nil
    /// where the provider has none of them.
    var thumbnailVersion: [UInt8]? {
        let version = item.version.content
        guard item.kind != .folder, exists, !isUnsent, !isArriving, state != .nameClash, !version.isEmpty,
            item.capabilities.contains(.read)
        else { return nil }
        return version
    }
}
