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

    /// The started bookmark because of which an item may be accessed, when nothing else allows it: the one that lasts longest.
    func source(
        of item: IndexedItem, _ intention: AccessRequest.Intention, _ storage: StorageThreads
    ) throws(DocumentError) -> BookmarkAccesses.Scope? {
        guard case .entitled(let refusals, let scopes) = self, refusals[intention.location] != nil else { return nil }
        return try covering(scopes, item, storage)
            .filter { intention.intent == .reading || $0.rights == .readWrite }
            .max { ($0.expires ?? .max) < ($1.expires ?? .max) }
    }

    private func covering(
        _ scopes: [BookmarkAccesses.Scope], _ item: IndexedItem, _ storage: StorageThreads
    ) throws(DocumentError) -> [BookmarkAccesses.Scope] {
        // A look into the index is for what lies inside of what they were made of.
        if scopes.allSatisfy({ $0.item == item.key }) { return scopes }
        return try storage.read { index in
            let around = try index.coordinated(item).enclosing.map(\.key) + [item.key]
            return try scopes.filter { scope in
                if around.contains(scope.item) { return true }
                // Since it was started, it may have got the identifier that its provider gives it.
                let now = try index.item(scope.item.id, in: scope.item.domain)
                return now.map { around.contains($0.key) } ?? false
            }
        }
    }

    private static func readOnly(_ intention: AccessRequest.Intention) -> DocumentError {
        DocumentError(
            .notPermitted, "\(intention.location) may only be read through its bookmark: that was made read-only.")
    }
}
