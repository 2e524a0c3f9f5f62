import DocumentModel
import DocumentStorage
import FileCoordination

/// What a request of a tool's may access. What comes from a bookmark is bound to items, not to paths, so that a path that
/// leads elsewhere by then gives nothing.
enum AccessPermit: Sendable {
    /// All that there is.
    case everything
    /// What one started bookmark allows: an item with all that is in it.
    case bookmark(BookmarkAccesses.Scope)
    /// All but these locations, each with why not; and what started bookmarks allow.
    case entitled(except: [Location: DocumentError], [BookmarkAccesses.Scope])

    /// - Throws: `notPermitted`.
    func check(
        _ item: IndexedItem, _ intention: AccessRequest.Intention, _ storage: StorageThreads
    ) throws(DocumentError) {
        switch self {
        case .everything: return
        case .bookmark(let scope):
            guard try !covering([scope], item, storage).isEmpty else {
                throw DocumentError(
                    .notPermitted,
                    "\(intention.location) is not what the bookmark was made of: resolve the bookmark anew, and use what it says."
                )
            }
            guard intention.intent == .reading || scope.rights == .readWrite else { throw Self.readOnly(intention) }
        case .entitled(let refusals, let scopes):
            guard let refusal = refusals[intention.location] else { return }
            let covering = try covering(scopes, item, storage)
            guard !covering.isEmpty else { throw refusal }
            guard intention.intent == .reading || covering.contains(where: { $0.rights == .readWrite }) else {
                throw Self.readOnly(intention)
            }
        }
    }

    private func covering(
        _ scopes: [BookmarkAccesses.Scope], _ item: IndexedItem, _ storage: StorageThreads
    ) throws(DocumentError) -> [BookmarkAccesses.Scope] {
        if scopes.isEmpty { return [] }
        let around = try storage.read { try $0.coordinated(item).enclosing.map(\.key) } + [item.key]
        return scopes.filter { around.contains($0.item) }
    }

    private static func readOnly(_ intention: AccessRequest.Intention) -> DocumentError {
        DocumentError(
            .notPermitted, "\(intention.location) may only be read through its bookmark: that was made read-only.")
    }
}
