public import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

extension DocumentHost {
    /// Makes a bookmark of an item that the tool may access now (BOOK-1, BOOK-4).
    public func createBookmark(
        of location: Location, _ options: BookmarkOptions, for tool: Tool
    ) async throws(DocumentError) -> (Bookmark, BookmarkDescription) {
        let item = try await bookmarked(location)
        try exported.check(item.key, at: location, by: tool.owner)
        // What is there by now, for a tool that may use it because of another bookmark.
        let access = AccessRequest(location: location, intent: options.rights == .readOnly ? .reading : .writing)
        let permit = try await permit(for: access.intentions, by: nil, of: tool)
        var source: BookmarkAccesses.Scope?
        for intention in access.intentions {
            try permit.check(item, intention, storage)
            source = try permit.source(of: item, intention, storage)
        }
        let document: IndexedItem? =
            if let place = options.document { try await bookmarked(place) } else { nil }
        if let expires = options.expires, expires.seconds <= bookmarks.now {
            throw DocumentError(.invalidArgument, "The bookmark would have expired already: give it a later time.")
        }
        if let other = options.tool, registry.find(other) == nil {
            throw DocumentError(
                .notConfigured, "There is no tool \(other): “docent tool list” shows those that there are.")
        }
        let record = BookmarkRecord(
            id: BookmarkIdentifier(rawValue: .random(in: 1...UInt64.max)), domain: item.domain, item: item.id,
            madeAt: location, rights: options.rights,
            tool: document == nil ? options.tool ?? tool.identifier : nil,
            document: document.map { BookmarkToken.Document(domain: $0.domain, item: $0.id) },
            documentAt: options.document, created: bookmarks.now,
            // What a tool was given for a time, or may lose, it does not keep by a bookmark of its own (BOOK-5).
            expires: [options.expires?.seconds, source?.expires].compactMap { $0 }.min(),
            maker: tool.identifier, origin: source?.origin)
        let bookmark = try await bookmarks.make(record)
        logger.info(
            "a bookmark was made",
            metadata: ["bookmark": "\(record.id)", "item.id": "\(item.id)", "tool": "\(tool.owner.name)"])
        return (bookmark, try describe(record))
    }

    /// Where a bookmark's item is now. No access is given (BOOK-2).
    ///
    /// - Throws: `notPermitted` for one that is not genuine, revoked, expired or bound to somebody else, `noSuchItem` when
    ///   the item is gone, and what its provider says.
    public func resolveBookmark(
        _ bookmark: Bookmark, document: Location?, for tool: Tool
    ) async throws(DocumentError) -> ResolvedBookmark {
        let record = try await record(of: bookmark, document: document, for: tool)
        let item = try await found(record)
        let status = try status(of: item)
        return ResolvedBookmark(item: status, isStale: status.location != record.madeAt, rights: record.rights)
    }

    /// Lets the tool access a bookmark's item until ``stopBookmark(_:for:)`` or the end of its connection (BOOK-2).
    ///
    /// - Returns: why it is not granted; nil when it is.
    /// - Throws: `notPermitted` for one that no host made like this.
    public func startBookmark(
        _ bookmark: Bookmark, document: Location?, for tool: Tool
    ) async throws(DocumentError) -> DocumentError? {
        _ = try await bookmarks.token(of: bookmark)
        do throws(DocumentError) {
            var record = try await record(of: bookmark, document: document, for: tool)
            record.item = try await found(record).id
            try bookmarks.start(record, by: tool.owner)
            return nil
        } catch {
            if error.code == .cancelled { throw error }
            logger.notice("a bookmark gave no access", metadata: ["tool": "\(tool.owner.name)", "error": "\(error)"])
            return error
        }
    }

    /// Ends what one ``startBookmark(_:document:for:)`` began.
    public func stopBookmark(_ bookmark: Bookmark, for tool: Tool) async throws(DocumentError) {
        try bookmarks.stop(try await bookmarks.token(of: bookmark).id, by: tool.owner)
        reviewPresenters()
    }

    /// The bookmarks that were made here, and not revoked.
    public func bookmarkDescriptions() throws(DocumentError) -> [BookmarkDescription] {
        try bookmarkDescriptions { _ in true }
    }

    func bookmarkDescriptions(
        where isMeant: (BookmarkRecord) -> Bool
    ) throws(DocumentError) -> [BookmarkDescription] {
        let now = bookmarks.now
        var descriptions: [BookmarkDescription] = []
        for record in try storage.read({ try $0.bookmarks() }) where record.expires.map({ now < $0 }) ?? true {
            if isMeant(record) { descriptions.append(try describe(record)) }
        }
        return descriptions
    }

    /// From now on it gives nothing, also where it was started (BOOK-5). A read or write that is under way goes on to its
    /// end, so that nothing is torn.
    public func revokeBookmark(_ id: BookmarkIdentifier) async throws(DocumentError) {
        try await bookmarks.revoke(id)
        reviewPresenters()
        logger.info("a bookmark was revoked", metadata: ["bookmark": "\(id)"])
    }

    // MARK: Looking things up

    func record(
        of bookmark: Bookmark, document: Location?, for tool: Tool
    ) async throws(DocumentError) -> BookmarkRecord {
        var bound: IndexedItem?
        if let document { bound = try await bookmarked(document) }
        return try await bookmarks.record(of: bookmark, for: tool.identifier, document: bound)
    }

    /// An item that a bookmark may be made of: one of a domain whose documents can be opened in their place (BOOK-4).
    private func bookmarked(_ location: Location) async throws(DocumentError) -> IndexedItem {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .move], for: "bookmarked")
        try await follower.freshen(domain)
        let item = try await resolver.resolve(location, in: domain)
        guard item.state != .nameClash else {
            throw DocumentError(
                .nameClash,
                "\(location) cannot be bookmarked: another name in its folder is the same but for case or Unicode form; rename one of them."
            )
        }
        return item
    }

    /// A bookmark's item, wherever it is by now (PROV-6): the provider is asked each time, also for what is known here.
    func found(_ record: BookmarkRecord) async throws(DocumentError) -> IndexedItem {
        let domain = try domains.domain(record.domain)
        try domain.require([.open, .move], for: "opened")
        try await freshen(domain, asking: true)
        if let known = try storage.read({ try $0.item(record.item, in: record.domain) }), known.exists {
            return domain.hasFeed ? known : await refreshed(known, domain)
        }
        do throws(DocumentError) {
            return try await resolver.resolve(record.item, in: domain)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            throw error.wrapped("The item of the bookmark \(record.id), which was \(record.madeAt), is gone.")
        }
    }

    private func describe(_ record: BookmarkRecord) throws(DocumentError) -> BookmarkDescription {
        let location = try storage.read { index in
            // Also nil for one that cannot be shown because of its name.
            (try? index.location(of: record.item, in: record.domain)) ?? nil
        }
        return BookmarkDescription(
            id: record.id, madeAt: record.madeAt, location: location, rights: record.rights, tool: record.tool,
            document: record.documentAt, created: Timestamp(seconds: record.created),
            expires: record.expires.map { Timestamp(seconds: $0) })
    }
}

extension DocumentHost.Tool {
    /// Nil: one of the user's own programs.
    var identifier: ToolIdentifier? {
        guard case .registered(let id) = standing else { return nil }
        return id
    }
}
