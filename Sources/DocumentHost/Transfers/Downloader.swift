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
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) },
            for: item.state == .outdated ? .writing(nil) : .reading(.withoutChanges), by: owner,
            nestedIn: EnclosingClaims.current)
        defer { broker.end(claim) }
        let item = try await disk.look(item)
        if !item.isCurrent { _ = try await materialiser.materialise(item, of: domain, onProgress: onProgress) }
    }
}
