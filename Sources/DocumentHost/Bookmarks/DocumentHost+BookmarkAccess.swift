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
        var record = try await record(of: access.bookmark, document: access.document, for: tool)
        let item = try await found(record)
        record.item = item.id
        // Until the access ends: what is done inside of it may need the bookmark's rights, too.
        try bookmarks.start(record, by: tool.owner, isForAccess: true)
        do throws(DocumentError) {
            let grant = try await grant(access, record, at: try status(of: item).location, for: tool, onProgress)
            bookmarks.began(grant.number, by: record.id, of: tool.owner)
            return grant
        } catch {
            bookmarks.endUse(record.id, by: tool.owner)
            reviewPresenters()
            throw error
        }
    }

    private func grant(
        _ access: BookmarkedAccess, _ record: BookmarkRecord, at found: Location, for tool: Tool,
        _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> (number: UInt64, items: [AccessedItem]) {
        var location = found
        for attempt in 1... {
            do throws(DocumentError) {
                return try await beginAccess(access.request(at: location), for: tool, onProgress: onProgress)
            } catch {
                // It may have been renamed, or moved, since it was looked up.
                guard attempt < Self.mostLookUps, [.noSuchItem, .notPermitted].contains(error.code) else { throw error }
                let now = try status(of: try await self.found(record)).location
                if now == location { throw error }
                location = now
            }
        }
        throw DocumentError(.busy, "The item of a bookmark is renamed again and again; try again.")
    }

    /// Renamed more often than that while it was looked up, it is nobody's document.
    private static let mostLookUps = 8

    /// An access has ended: with it, what was started for it.
    func bookmarkedAccessEnded(_ number: UInt64, of tool: Tool) {
        if bookmarks.ended(number, of: tool.owner) { reviewPresenters() }
    }
}
