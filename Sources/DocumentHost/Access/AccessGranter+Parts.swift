import DocumentModel
import DocumentStorage

/// Packages and folders that are accessed as one: what of them is here (COORD-9, COORD-21).
extension AccessGranter {
    /// Looks at documents in it whose files are gone, and the index does not know: one that was evicted on a full disk, or removed
    /// without asking. They are brought anew with all others, and nobody who does not see them counts as having removed them.
    func lookAtParts(of item: IndexedItem) async throws(DocumentError) {
        let missing = try await storage.run { try $0.missingParts(of: item.id, in: item.domain) }
        for part in missing { _ = try await disk.look(part) }
    }
}
