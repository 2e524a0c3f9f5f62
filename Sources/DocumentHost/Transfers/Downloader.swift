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

    /// Under a claim, since an outdated file is replaced.
    func bring(
        _ item: IndexedItem, of domain: Domain, _ onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) {
        let isOutdated = item.state == .outdated
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) },
            for: isOutdated ? .writing(nil) : .reading(.withoutChanges), by: owner.onBehalf,
            nestedIn: EnclosingClaims.current)
        // Contents that come for the first time are no change.
        var effect = ClaimEffect.unchanged
        defer { broker.end(claim, effects: [effect]) }
        let item = try await disk.look(item)
        guard !item.isCurrent else { return }
        let now = try await materialiser.materialise(item, of: domain, onProgress: onProgress)
        if isOutdated, now.local != item.local { effect = .changed }
    }
}
