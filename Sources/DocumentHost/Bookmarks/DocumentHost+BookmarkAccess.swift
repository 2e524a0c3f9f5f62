package import DocumentModel
import DocumentStorage
package import DocumentWire
import FileCoordination

extension DocumentHost {
    /// As ``beginAccess(_:for:onProgress:)``, of a bookmark's item, wherever it is by now, and with no more than the bookmark
    /// gives (BOOK-1, BOOK-5).
    ///
    /// - Throws: as ``startBookmark(_:document:for:)`` answers, and what the access may throw.
    package func beginAccess(
        _ access: BookmarkedAccess, for tool: Tool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> (number: UInt64, items: [AccessedItem]) {
        try bookmarks.checkNotLeaking(tool.owner)
        for attempt in 1... {
            let location = try await resolveBookmark(access.bookmark, document: access.document, for: tool).item
                .location
            do throws(DocumentError) {
                return try await beginAccess(access.request(at: location), for: tool, onProgress: onProgress) {
                    [self] _ async throws(DocumentError) in
                    .bookmark(try await scope(of: access, for: tool))
                }
            } catch {
                // It may have been renamed, or moved, since it was looked up.
                guard attempt < Self.mostLookUps, [.noSuchItem, .notPermitted].contains(error.code) else { throw error }
                let now = try await resolveBookmark(access.bookmark, document: access.document, for: tool).item.location
                if now == location { throw error }
            }
        }
        throw DocumentError(.busy, "The item of a bookmark is renamed again and again; try again.")
    }

    /// Renamed more often than that while it was looked up, it is nobody's document.
    private static let mostLookUps = 8

    /// What a bookmark allows just now: it may have been revoked while the access waited.
    private func scope(
        of access: BookmarkedAccess, for tool: Tool
    ) async throws(DocumentError) -> BookmarkAccesses.Scope {
        let record = try await record(of: access.bookmark, document: access.document, for: tool)
        return BookmarkAccesses.Scope(
            item: ItemKey(domain: record.domain, id: record.item), rights: record.rights, expires: record.expires,
            origin: record.id)
    }
}
