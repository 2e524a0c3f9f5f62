import DocumentModel
import DocumentStorage
import FileCoordination

/// Has one document's current contents here.
struct Downloader: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let disk: DiskCheck
    let materialiser: Materialiser
    let owner: ClaimOwner

    /// For somebody who waits for it. While it is paused, nothing is claimed, so that it can be renamed and removed.
    func bringWhenResumed(
        _ item: IndexedItem, of domain: Domain, _ onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) {
        materialiser.requests.add([item.key])
        defer { materialiser.requests.remove([item.key]) }
        var item = item
        while try await !bring(item, of: domain, onProgress) {
            try await materialiser.pauses.untilResumed(item.key)
            guard let now = try storage.read({ try $0.now(item) }) else {
                throw DocumentError(
                    .noSuchItem, "The document was removed from \(item.domain) while it was waited for.",
                    itemID: item.id)
            }
            item = now
        }
    }

    /// Under a claim, since an outdated file is replaced.
    ///
    /// - Returns: false when it is paused, or was meanwhile: then nothing of it is claimed any more.
    func bring(
        _ item: IndexedItem, of domain: Domain, _ onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) -> Bool {
        guard try !materialiser.pauses.isPaused(item.key) else { return false }
        let isOutdated = item.state == .outdated
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) },
            for: isOutdated ? .writing(nil) : .reading(.withoutChanges), by: owner.onBehalf,
            nestedIn: EnclosingClaims.current)
        // Contents that come for the first time are no change.
        var effect = ClaimEffect.unchanged
        defer { broker.end(claim, effects: [effect]) }
        let item = try await disk.look(item)
        guard !item.isCurrent else { return true }
        let now = try await materialiser.materialiseUntilPaused(item, of: domain, onProgress: onProgress)
        guard let now else { return false }
        if isOutdated, now.local != item.local { effect = .changed }
        return true
    }
}

extension IndexReader {
    /// An item that was looked up before, as it is now. Nil when it is gone.
    func now(_ item: IndexedItem) throws -> IndexedItem? {
        if let now = try self.item(item.id, in: item.domain) { return now.exists ? now : nil }
        // Renamed meanwhile, it may have another identifier; but of one that is gone, something new may have the row.
        guard let now = try self.item(row: item.row, in: item.domain), now.exists, now.domain == item.domain,
            now.item.kind == item.item.kind, now.item.version.content == item.item.version.content,
            now.item.size == item.item.size, now.local?.inode == item.local?.inode
        else { return nil }
        return now
    }
}
