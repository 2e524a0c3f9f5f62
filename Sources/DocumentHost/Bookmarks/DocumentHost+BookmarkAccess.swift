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
        let item = try await item(of: record, for: access, by: tool)
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

    /// The same for the usual read, without a pause: gives the answer as it travels. Nil when it is not one; then nothing has
    /// happened, and it goes the long way, which says why not.
    package func beginAccessAtOnce(_ access: BookmarkedAccess, for tool: Tool) -> [UInt8]? {
        // What it is bound to would have to be found.
        guard access.document == nil, !isConfined(tool),
            var record = bookmarks.recordAtOnce(of: access.bookmark, for: tool.identifier),
            (try? domains.find(record.domain)?.require([.open, .move], for: "opened")) != nil,
            let item = try? granter.known.item(ItemKey(domain: record.domain, id: record.item))
        else { return nil }
        record.item = item.key.id
        guard (try? bookmarks.start(record, by: tool.owner, isForAccess: true)) != nil else { return nil }
        let request = access.request(at: item.status.location)
        guard
            let (number, granted) = granter.beginAtOnce(
                request, by: tool.owner, .bookmark(BookmarkDesk.scope(of: record)))
        else {
            bookmarks.endUse(record.id, by: tool.owner)
            reviewPresenters()
            return nil
        }
        bookmarks.began(number, by: record.id, of: tool.owner)
        return answer(number, granted)
    }

    /// The item as it is known here: who asks by location learns no more, either. Its provider is asked for what is not known.
    private func item(
        of record: BookmarkRecord, for access: BookmarkedAccess, by tool: Tool
    ) async throws(DocumentError) -> IndexedItem {
        let domain = try domains.domain(record.domain)
        try domain.require([.open, .move], for: "opened")
        let key = ItemKey(domain: record.domain, id: record.item)
        let place = try granter.known.item(key)?.status.location ?? record.madeAt
        let request = access.request(at: place)
        for intention in request.intentions where intention.wantsNews {
            try await granter.pending.during(.news, intention, by: tool.owner) { () async throws(DocumentError) in
                try await follower.freshen(domain)
            }
        }
        if let known = try granter.known.item(key), known.item.exists { return known.item }
        return try await find(record, for: request, by: tool)
    }

    /// The provider is asked where it is.
    private func find(
        _ record: BookmarkRecord, for request: AccessRequest, by tool: Tool
    ) async throws(DocumentError) -> IndexedItem {
        try await granter.pending.during(.place, request.intentions[0], by: tool.owner) {
            () async throws(DocumentError) in try await found(record)
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
                let item = try await find(record, for: access.request(at: location), by: tool)
                let now = try status(of: item).location
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
