import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

/// What is to be brought although nobody waits for it: documents, and folders below which not all is known yet. It is written
/// down, so that the next host goes on with it (XFER-8).
final class LastingRequests: Sendable {
    /// Whether it is a document.
    private let keys = Mutex<[ItemKey: Bool]>([:])
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

    var documents: [ItemKey] { keys.withLock { keys in keys.filter(\.value).map(\.key) } }

    func contains(_ key: ItemKey) -> Bool { keys.withLock { $0[key] != nil } }

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
        work.add { [self] in
            do throws(DocumentError) {
                try await storage.run { [self] store in
                    try store.root.index.write(durably: false) { index in
                        guard !contains(key), let item = try index.item(key.id, in: key.domain) else { return }
                        try index.dropDownloadRequest(of: item)
                    }
                }
            } catch {
                logger.notice(
                    "a download that has ended is asked for again by the next host",
                    metadata: ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"])
            }
        }
    }

    private func insert(_ item: IndexedItem) -> Bool {
        let isDocument = item.item.kind == .document
        let isNew = keys.withLock { $0.updateValue(isDocument, forKey: item.key) == nil }
        if isNew, isDocument { requests.add([item.key]) }
        return isNew
    }

    private func remove(_ key: ItemKey) -> Bool {
        let wasDocument = keys.withLock { $0.removeValue(forKey: key) }
        if wasDocument == true { requests.remove([key]) }
        return wasDocument != nil
    }
}
