import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// What is to be brought although nobody waits for it: documents, and folders below which not all is known yet. It is written
/// down, so that the next host goes on with it (XFER-8).
final class LastingRequests: Sendable {
    private struct State {
        /// Whether it is a document.
        var keys: [ItemKey: Bool] = [:]
        /// By how many it is waited for.
        var awaited: [ItemKey: Int] = [:]

        func isWanted(_ key: ItemKey) -> Bool { keys[key] != nil || awaited[key] != nil }
    }

    private let state = Mutex(State())
    private let storage: StorageThreads
    /// Where people see that documents wait.
    private let requests: DownloadRequests
    private let work: WorkGroup
    private let logger: Logger

    init(storage: StorageThreads, requests: DownloadRequests, work: WorkGroup, logger: Logger) {
        self.storage = storage
        self.requests = requests
        self.work = work
        self.logger = logger
    }

    var documents: [ItemKey] { state.withLock { $0.keys.filter(\.value).map(\.key) } }

    /// Whether it is to be brought, or somebody waits for it.
    func isWanted(_ key: ItemKey) -> Bool { requests.contains(key) || state.withLock { $0.isWanted(key) } }

    func contains(_ key: ItemKey) -> Bool { state.withLock { $0.keys[key] != nil } }

    /// - Throws: when it cannot be written down; then nobody has asked for them.
    func keep(_ items: [IndexedItem]) async throws(DocumentError) {
        // Before they are written down: who is about to forget one that has come looks here first.
        let new = items.filter { insert($0) }
        guard !new.isEmpty else { return }
        do throws(DocumentError) {
            try await storage.write { try $0.keepDownloadRequests(new) }
        } catch {
            for item in new { _ = remove(item.key) }
            throw error
        }
    }

    /// Somebody waits for it: when this host ends before it is here, the next one goes on with it. Each beginning has its end.
    func beginWaiting(for item: IndexedItem) async {
        let isNew = state.withLock { state in
            let isNew = !state.isWanted(item.key)
            state.awaited[item.key, default: 0] += 1
            return isNew
        }
        guard isNew else { return }
        do throws(DocumentError) {
            // Flushed with the next one that is: what was only waited for may be lost with the machine's power.
            try await storage.run { store in
                try store.root.index.write(durably: false) { try $0.keepDownloadRequests([item]) }
            }
        } catch {
            // Nobody is kept from their document for that.
            logger.notice("a download would not outlive this host", metadata: metadata(item.key, error))
        }
    }

    func endWaiting(for key: ItemKey) {
        let isLast = state.withLock { state in
            let count = (state.awaited[key] ?? 1) - 1
            state.awaited[key] = count > 0 ? count : nil
            return !state.isWanted(key)
        }
        if isLast { forget(key) }
    }

    /// What a host that has ended has left.
    ///
    /// - Parameter foldersOnly: what was asked for of documents is known already.
    func left(in domain: DomainName, foldersOnly: Bool) throws(DocumentError) -> [IndexedItem] {
        // One that is being added may not be there yet.
        let items = try storage.read { try $0.domain(domain) == nil ? [] : $0.downloadRequests(in: domain) }
            .filter { !foldersOnly || $0.item.kind != .document }
        for item in items { _ = insert(item) }
        return items
    }

    /// It is here, or nobody wants it here any more.
    func drop(_ key: ItemKey) {
        guard remove(key) else { return }
        forget(key)
    }

    /// An item has another identifier: it is written down by its row. Whoever waits for it ends that by the one that it had.
    ///
    /// - Returns: whether it was to be brought.
    func identified(_ former: ItemKey, as key: ItemKey) -> Bool {
        let isDocument = state.withLock { state -> Bool? in
            guard let isDocument = state.keys.removeValue(forKey: former) else { return nil }
            return state.keys.updateValue(isDocument, forKey: key) == nil ? isDocument : false
        }
        guard let isDocument else { return false }
        requests.remove([former])
        if isDocument { requests.add([key]) }
        return true
    }

    private func forget(_ key: ItemKey) {
        work.add { [self] in
            do throws(DocumentError) {
                try await storage.run { [self] store in
                    try store.root.index.write(durably: false) { index in
                        guard !state.withLock({ $0.isWanted(key) }), let item = try index.item(key.id, in: key.domain)
                        else { return }
                        try index.dropDownloadRequest(of: item)
                    }
                }
            } catch {
                logger.notice(
                    "a download that has ended is asked for again by the next host",
                    metadata: metadata(key, error))
            }
        }
    }

    private func metadata(_ key: ItemKey, _ error: DocumentError) -> Logger.Metadata {
        ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"]
    }

    private func insert(_ item: IndexedItem) -> Bool {
        let isDocument = item.item.kind == .document
        let isNew = state.withLock { $0.keys.updateValue(isDocument, forKey: item.key) == nil }
        if isNew, isDocument { requests.add([item.key]) }
        return isNew
    }

    private func remove(_ key: ItemKey) -> Bool {
        let wasDocument = state.withLock { $0.keys.removeValue(forKey: key) }
        if wasDocument == true { requests.remove([key]) }
        return wasDocument != nil
    }
}
