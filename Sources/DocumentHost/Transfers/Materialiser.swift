import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// Brings contents here: one transfer an item, shared by all who wait for it (PROV-8, PROV-19).
struct Materialiser: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    let storage: StorageThreads
    let known: KnownItems
    let locks: KeyedLock<ItemKey>
    /// Nil is what comes of one that was paused.
    let transfers: SharedTransfers<ItemKey, IndexedItem?>
    /// Where people see that documents wait.
    let requests: DownloadRequests
    let pauses: PauseGate
    let uses: UseLog
    let parts: PartwiseFetch
    let failures: DownloadFailures
    let digests: DigestTaker
    let logger: Logger

    /// Has the item's current contents here, whole and verified, also when it is paused until then.
    func materialise(
        _ item: IndexedItem, of domain: Domain, onProgress: ProgressObserver?
    ) async throws(DocumentError) -> IndexedItem {
        while true {
            if let now = try await materialiseUntilPaused(item, of: domain, onProgress: onProgress) { return now }
            requests.add([item.key])
            defer { requests.remove([item.key]) }
            try await pauses.untilResumed(item.key)
        }
    }

    /// The same, for whoever has a claim that is not to be held until the end of a pause.
    ///
    /// - Parameter isUnasked: whether nobody has asked for it yet, who would be told when it fails.
    /// - Returns: nil when it is paused, or was meanwhile: nothing of it comes any more then, and what is here is not replaced.
    func materialiseUntilPaused(
        _ item: IndexedItem, of domain: Domain, onProgress: ProgressObserver?,
        isUnasked: @escaping @Sendable () -> Bool = { false }
    ) async throws(DocumentError) -> IndexedItem? {
        let key = item.key
        if try pauses.isPaused(key) { return nil }
        // Contents that come for the first time need no claim: they go on without the tool that had one.
        let asker = Asker.current
        let goesOn: @Sendable () -> Bool = { item.local == nil && asker?.isGone == true }
        return try await transfers.join(key, onProgress: onProgress, goesOn: goesOn) { report throws(DocumentError) in
            let item = try await pauses.untilPaused(key) { () async throws(DocumentError) -> IndexedItem in
                try await locks.withLock(key) { () async throws(DocumentError) -> IndexedItem in
                    try await fetchPersistently(key, of: domain, isUnasked, report)
                }
            }
            guard let item else { return nil }
            // What has just come was not used longest ago, and what nobody wanted yet is the first to leave.
            if isUnasked() { uses.unused(key) } else { uses.used([key]) }
            digests.take(item)
            return item
        }
    }

    private func fetchPersistently(
        _ key: ItemKey, of domain: Domain, _ isUnasked: @Sendable () -> Bool, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> IndexedItem {
        do throws(DocumentError) {
            return try await fetch(key, of: domain, isUnasked, report)
        } catch {
            // The call may be repeated (PROV-12): once, so that one crash does not reach the reader.
            guard error.code == .providerDied, !Task.isCancelled else {
                if !isUnasked() { failures.failed(key, error) }
                throw error
            }
            logger.info("the provider died while it provided; asking again", metadata: metadata(key))
        }
        do throws(DocumentError) {
            return try await fetch(key, of: domain, isUnasked, report)
        } catch {
            if !isUnasked() { failures.failed(key, error) }
            throw error
        }
    }

    private func fetch(
        _ key: ItemKey, of domain: Domain, _ isUnasked: @Sendable () -> Bool, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> IndexedItem {
        guard let found = try known.item(key) else {
            throw DocumentError(.noSuchItem, "The document is not in \(key.domain) any more.")
        }
        let current = found.item
        // What is not shown because of its name is refused below.
        switch found.wantedOperation {
        case .some(.fetch): break
        default: if current.state != .nameClash { return current }
        }
        // The provider may have to be started, while which nothing needs to be written down.
        let session = domain.provider
        if let item = try await parts.fetch(current, of: domain, report) { return item }
        let materialisation = try await storage.run { try $0.beginMaterialising(key.id, in: key.domain) }
        report(TransferProgress(done: 0, expected: current.item.size.map { UInt64(max($0, 0)) }))
        do throws(DocumentError) {
            let provided = try await session.startProviding(
                key.id, stagingPath: materialisation.file.path.string, contentVersion: [], onProgress: report)
            guard provided.item.id == key.id else {
                throw session.broken("was asked for \(materialisation.location) and provided something else")
            }
            do throws(DocumentError) {
                let (item, seen, generation) = try await storage.run { store in
                    // Whoever waits for it asks for it next.
                    try store.finish(materialisation, as: provided.item, sha256: provided.sha256) { item, index in
                        try? KnownItem(item, index, in: store.root)
                    }
                }
                if case .some(.some(let seen)) = seen { known.keep(seen, as: generation) }
                return item
            } catch {
                throw session.blamed(for: error)
            }
        } catch {
            // That nobody wants it any more, or that it was paused, is nothing that is wrong with it.
            let problem = error.code == .cancelled || isUnasked() ? nil : error
            try await storage.run { try $0.abandon(materialisation, because: problem) }
            throw error.about(materialisation.location)
        }
    }

    private func metadata(_ key: ItemKey) -> Logger.Metadata {
        ["domain": "\(key.domain)", "item.id": "\(key.id)"]
    }
}

extension DocumentError {
    /// The same error, for somebody who asked for a document: names it, unless the message does so already.
    func about(_ location: Location) -> DocumentError {
        if message.contains("\(location)") || code == .cancelled { return self }
        return wrapped("\(location) cannot be provided: \(message)")
    }
}
