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
        /// What is written down, or about to be.
        var written: Set<ItemKey> = []
        /// What is waited for and not written down yet: since the last look, and since the one before.
        var recent: [ItemKey: IndexedItem] = [:]
        var earlier: [ItemKey: IndexedItem] = [:]
        var isLooking = false

        func isWanted(_ key: ItemKey) -> Bool { keys[key] != nil || awaited[key] != nil }
    }

    /// What is waited for is written down after one to two of these: most of it has come by then.
    private static let grace = Duration.milliseconds(100)

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
        state.withLock { $0.written.formUnion(new.map(\.key)) }
        do throws(DocumentError) {
            try await storage.write { try $0.keepDownloadRequests(new) }
        } catch {
            for item in new { _ = remove(item.key) }
            throw error
        }
    }

    /// Somebody waits for it: when this host ends before it is here, the next one goes on with it. Each beginning has its end.
    ///
    /// - Parameter isComing: it begins to come at once, and as soon as it does, that is written down already: this is not, then,
    ///   before it takes its time.
    func beginWaiting(for item: IndexedItem, isComing: Bool = false) async {
        let (isNew, isFirst) = state.withLock { state in
            let isNew = !state.isWanted(item.key)
            state.awaited[item.key, default: 0] += 1
            guard isNew, isComing, !state.written.contains(item.key) else { return (isNew && !isComing, false) }
            state.recent[item.key] = item
            defer { state.isLooking = true }
            return (false, !state.isLooking)
        }
        if isNew { await writeDown([item]) }
        if isFirst { work.add { [self] in await look() } }
    }

    private func look() async {
        while true {
            // It throws when the host ends: then those who wait see to it.
            do { try await Task.sleep(for: Self.grace) } catch { return }
            let (due, isDone) = state.withLock { state in
                defer { (state.earlier, state.recent) = (state.recent, [:]) }
                state.isLooking = !state.recent.isEmpty
                return (Array(state.earlier.values), !state.isLooking)
            }
            if !due.isEmpty { await writeDown(due) }
            if isDone { return }
        }
    }

    /// What somebody has waited for who is gone, and perhaps the host with them, is not forgotten.
    func outlives(_ item: IndexedItem) async {
        if state.withLock({ !$0.written.contains(item.key) }) { await writeDown([item]) }
    }

    private func writeDown(_ items: [IndexedItem]) async {
        state.withLock { $0.written.formUnion(items.map(\.key)) }
        do throws(DocumentError) {
            // Flushed with the next one that is: what was only waited for may be lost with the machine's power.
            try await storage.run { [self] store in
                try store.root.index.write(durably: false) { index in
                    // Some may have come meanwhile.
                    try index.keepDownloadRequests(items.filter { item in state.withLock { $0.isWanted(item.key) } })
                }
            }
        } catch {
            // Nobody is kept from their document for that.
            for item in items {
                logger.notice("a download would not outlive this host", metadata: metadata(item.key, error))
            }
        }
    }

    func endWaiting(for key: ItemKey) {
        let isWritten = state.withLock { state in
            let count = (state.awaited[key] ?? 1) - 1
            state.awaited[key] = count > 0 ? count : nil
            guard !state.isWanted(key) else { return false }
            state.recent[key] = nil
            state.earlier[key] = nil
            return state.written.contains(key)
        }
        if isWritten { forget(key) }
    }

    /// What a host that has ended has left.
    ///
    /// - Parameter foldersOnly: what was asked for of documents is known already.
    func left(in domain: DomainName, foldersOnly: Bool) throws(DocumentError) -> [IndexedItem] {
        // One that is being added may not be there yet.
        let items = try storage.read { try $0.domain(domain) == nil ? [] : $0.downloadRequests(in: domain) }
            .filter { !foldersOnly || $0.item.kind != .document }
        state.withLock { $0.written.formUnion(items.map(\.key)) }
        for item in items { _ = insert(item) }
        return items
    }

    /// It is here, or nobody wants it here any more.
    func drop(_ key: ItemKey) {
        guard remove(key) else { return }
        forget(key)
    }

    private func forget(_ key: ItemKey) {
        work.add { [self] in
            do throws(DocumentError) {
                try await storage.run { [self] store in
                    try store.root.index.write(durably: false) { index in
                        let isForgotten = state.withLock { state in
                            if !state.isWanted(key) { state.written.remove(key) }
                            return !state.isWanted(key)
                        }
                        guard isForgotten, let item = try index.item(key.id, in: key.domain) else { return }
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
