import DocumentModel
import DocumentStorage

/// Reads contents that are too large to be read while somebody waits for them, once nobody does any more: from then on they can
/// be told from others, whatever was done to their file.
struct DigestTaker: Sendable {
    let storage: StorageThreads
    let locks: KeyedLock<ItemKey>
    let work: WorkGroup

    /// - Parameter item: what has just come, or was just sent.
    func take(_ item: IndexedItem) {
        guard item.lacksDigest else { return }
        work.add {
            // Whoever is to take its contents away waits, instead of finding it open.
            try? await locks.withLock(item.key) { () async throws(DocumentError) in
                _ = try await storage.run { try $0.takeDigest(of: item.id, in: item.domain) }
            }
        }
    }
}
