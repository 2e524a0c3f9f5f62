public import DocumentModel
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// Makes a bookmark: what finds the item again after it was renamed, moved or evicted, also in another run of the tool
    /// and of the host (BOOK-1). Keep its ``Bookmark/text``.
    ///
    /// - Throws: ``DocumentError``: `notPermitted` for what the tool may not access itself, or what cannot be opened in its
    ///   place (BOOK-4).
    public func bookmark(
        of location: Location, options: BookmarkOptions = BookmarkOptions()
    ) async throws(DocumentError) -> Bookmark {
        guard case .bookmark(.create(let bookmark, _)) = try await ask(.bookmark(.create(location, options))) else {
            throw Self.unexpectedAnswer
        }
        return bookmark
    }

    /// Where a bookmark's item is now. That gives no access (BOOK-2).
    ///
    /// - Parameter document: the document that the bookmark is bound to, when it is bound to one (BOOK-3).
    /// - Throws: ``DocumentError``: `notPermitted` for a bookmark that was changed, revoked, expired, or is bound to another
    ///   tool or document; `noSuchItem` when its item is gone.
    public func resolve(
        _ bookmark: Bookmark, relativeTo document: Location? = nil
    ) async throws(DocumentError) -> ResolvedBookmark {
        let call = BookmarkCall.resolve(bookmark, document: document)
        guard case .bookmark(.resolve(let resolved)) = try await ask(.bookmark(call)) else {
            throw Self.unexpectedAnswer
        }
        return resolved
    }

    /// Begins to have access to a bookmark's item (BOOK-2). Each time that it answers true wants one
    /// ``stopAccessing(_:)``; what was not stopped ends with the client. A tool that leaves 1,000 of them is refused from
    /// then on, until it connects anew.
    ///
    /// ``coordinate(readingItemOf:relativeTo:options:progress:_:)`` does both ends by itself.
    ///
    /// - Returns: false when it gives no access any more: revoked, expired, bound to another tool or document, its item is
    ///   gone, or the tool leaves its accesses unstopped. ``beginAccessing(_:relativeTo:)`` throws the reason.
    /// - Throws: ``DocumentError``: `notPermitted` for a bookmark that was changed.
    public func startAccessing(
        _ bookmark: Bookmark, relativeTo document: Location? = nil
    ) async throws(DocumentError) -> Bool {
        try await refusal(of: bookmark, relativeTo: document) == nil
    }

    /// As ``startAccessing(_:relativeTo:)``, for those who want to know why not: when it returns, it wants one
    /// ``stopAccessing(_:)``.
    ///
    /// - Throws: ``DocumentError``: what keeps it from being granted; also that too many were not stopped (BOOK-2).
    public func beginAccessing(
        _ bookmark: Bookmark, relativeTo document: Location? = nil
    ) async throws(DocumentError) {
        if let refusal = try await refusal(of: bookmark, relativeTo: document) { throw refusal }
    }

    private func refusal(
        of bookmark: Bookmark, relativeTo document: Location?
    ) async throws(DocumentError) -> DocumentError? {
        let call = BookmarkCall.start(bookmark, document: document)
        guard case .bookmark(.start(let refusal)) = try await ask(.bookmark(call)) else { throw Self.unexpectedAnswer }
        return refusal
    }

    /// Ends what one successful ``startAccessing(_:relativeTo:)`` began.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument` when it was stopped as often as it was started.
    public func stopAccessing(_ bookmark: Bookmark) async throws(DocumentError) {
        try await tell(.bookmark(.stop(bookmark)))
    }

    /// Reads a bookmark's item, wherever it is by now, as ``coordinate(readingItemAt:options:progress:_:)`` does: with no
    /// more access than the bookmark gives.
    ///
    /// - Parameter document: the document that the bookmark is bound to, when it is bound to one.
    public func coordinate<Value>(
        readingItemOf bookmark: Bookmark, relativeTo document: Location? = nil,
        options: AccessOptions = AccessOptions(), progress: ProgressHandler? = nil,
        _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await withAccess(by: bookmark, document, .reading, nil, options, progress, body)
    }

    /// Writes a bookmark's item, wherever it is by now, as ``coordinate(writingItemAt:for:options:progress:_:)`` does.
    ///
    /// - Throws: what the closure throws, and ``DocumentError``: `notPermitted` when the bookmark is read-only (BOOK-3).
    public func coordinate<Value>(
        writingItemOf bookmark: Bookmark, relativeTo document: Location? = nil, for option: WritingOption? = nil,
        options: AccessOptions = AccessOptions(), progress: ProgressHandler? = nil,
        _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        try await withAccess(by: bookmark, document, .writing, option, options, progress, body)
    }

    /// The bookmarks that the tool may know of: all of them for the user's own programs, else those that are bound to it.
    public func bookmarks() async throws(DocumentError) -> [BookmarkDescription] {
        guard case .bookmark(.list(let bookmarks)) = try await ask(.bookmark(.list), deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return bookmarks
    }

    /// Makes a bookmark worthless, for everybody and at once (BOOK-5). A read or write that is under way goes on to its end.
    ///
    /// - Throws: ``DocumentError``: `noSuchItem` when there is none.
    public func revokeBookmark(_ id: BookmarkIdentifier) async throws(DocumentError) {
        try await tell(.bookmark(.revoke(id)))
    }

    private func withAccess<Value>(
        by bookmark: Bookmark, _ document: Location?, _ intent: AccessIntent, _ option: WritingOption?,
        _ options: AccessOptions, _ progress: ProgressHandler?, _ body: (FilePath, ItemStatus) async throws -> Value
    ) async throws -> Value {
        var access = BookmarkedAccess(bookmark, document: document, intent: intent)
        access.writingOption = option
        access.purpose = options.purpose
        access.metadataOnly = options.metadataOnly
        access.nestedIn = enclosing.map(\.access)
        access.answering = answeredMessage
        access.onBehalf = OnBehalf.current
        guard
            case .beginAccess(let number, let path, let item, _) = try await ask(
                .bookmark(.access(access)), progress: progress)
        else { throw Self.unexpectedAnswer }
        let intention = AccessRequest.Intention(location: item.location, intent: intent, writingOption: option)
        return try await inside(number, [intention], changingNothing: intent == .reading) {
            try await body(FilePath(path), item)
        }
    }
}
