import DocumentModel
import SwiftProtobuf

extension BookmarkCall {
    init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .createBookmark(let call): self = .create(try Location(call.location), try BookmarkOptions(call))
        case .resolveBookmark(let call):
            self = .resolve(try Bookmark(bytes: Array(call.bookmark)), document: try place(call.document))
        case .startBookmark(let call):
            self = .start(try Bookmark(bytes: Array(call.bookmark)), document: try place(call.document))
        case .stopBookmark(let call): self = .stop(try Bookmark(bytes: Array(call.bookmark)))
        case .listBookmarks: self = .list
        case .revokeBookmark(let call): self = .revoke(BookmarkIdentifier(rawValue: call.id))
        case .accessBookmark(let call): self = .access(try BookmarkedAccess(call))
        default: throw Checks.refusal("This is no call about bookmarks.")
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .create(let location, let options): .createBookmark(WireServiceCreateBookmark(location, options))
        case .resolve(let bookmark, let document):
            .resolveBookmark(
                .with {
                    $0.bookmark = collected(bookmark.bytes)
                    $0.document = document?.description ?? ""
                }
            )
        case .start(let bookmark, let document):
            .startBookmark(
                .with {
                    $0.bookmark = collected(bookmark.bytes)
                    $0.document = document?.description ?? ""
                }
            )
        case .stop(let bookmark): .stopBookmark(.with { $0.bookmark = collected(bookmark.bytes) })
        case .list: .listBookmarks(WireServiceListBookmarks())
        case .revoke(let id): .revokeBookmark(.with { $0.id = id.rawValue })
        case .access(let access): .accessBookmark(WireServiceAccessBookmark(access))
        }
    }
}

extension BookmarkReply {
    init(_ answer: WireServiceCreateBookmarkAnswer) throws(DocumentError) {
        self = .create(try Bookmark(bytes: Array(answer.bookmark)), try BookmarkDescription(answer.info))
    }

    init(_ answer: WireServiceResolveBookmarkAnswer) throws(DocumentError) {
        self = .resolve(
            ResolvedBookmark(
                item: try ItemStatus(answer.item), isStale: answer.stale,
                rights: answer.readOnly ? .readOnly : .readWrite))
    }

    init(_ answer: WireServiceStartBookmarkAnswer) {
        self = .start(refusal: answer.granted ? nil : DocumentError(answer.refusal))
    }

    init(_ answer: WireServiceListBookmarksAnswer) throws(DocumentError) {
        self = .list(try mapped(answer.bookmarks, BookmarkDescription.init))
    }

    var wire: WireServiceServiceAnswer.OneOf_Answer {
        switch self {
        case .create(let bookmark, let description):
            .createBookmark(
                .with {
                    $0.bookmark = collected(bookmark.bytes)
                    $0.info = WireServiceBookmarkInfo(description)
                }
            )
        case .resolve(let resolved):
            .resolveBookmark(
                .with {
                    $0.item = WireServiceItemStatus(resolved.item)
                    $0.stale = resolved.isStale
                    $0.readOnly = resolved.rights == .readOnly
                }
            )
        case .start(let refusal):
            .startBookmark(
                .with {
                    $0.granted = refusal == nil
                    if let refusal { $0.refusal = WireFailure(refusal) }
                }
            )
        case .list(let bookmarks): .listBookmarks(.with { $0.bookmarks = bookmarks.map(WireServiceBookmarkInfo.init) })
        }
    }
}

extension BookmarkedAccess {
    /// What it has in common with any access is checked as that.
    fileprivate init(_ call: WireServiceAccessBookmark) throws(DocumentError) {
        self.init(
            try Bookmark(bytes: Array(call.bookmark)), document: try place(call.document),
            intent: try AccessIntent(call.intent))
        writingOption = try WritingOption?(call.writingOption)
        guard writingOption == nil || intent == .writing else {
            throw Checks.refusal("A writing option was given for a reading access by a bookmark.")
        }
        purpose = call.purpose.isEmpty ? nil : try Checks.text(call.purpose, "A purpose", limit: 256)
        metadataOnly = call.metadataOnly
        nestedIn = try AccessRequest.checked(nesting: call.nestedIn)
        answering = call.answering == 0 ? nil : call.answering
        onBehalf = call.onBehalf.isEmpty ? nil : try Checks.text(call.onBehalf, "A program's name", limit: 256)
    }
}

extension WireServiceAccessBookmark {
    fileprivate init(_ access: BookmarkedAccess) {
        self.init()
        bookmark = collected(access.bookmark.bytes)
        document = access.document?.description ?? ""
        intent = WireServiceIntent(access.intent)
        writingOption = WireServiceWritingOption(access.writingOption)
        purpose = access.purpose ?? ""
        metadataOnly = access.metadataOnly
        nestedIn = access.nestedIn
        answering = access.answering ?? 0
        onBehalf = access.onBehalf ?? ""
    }
}

extension BookmarkOptions {
    fileprivate init(_ call: WireServiceCreateBookmark) throws(DocumentError) {
        self.init(
            rights: call.readOnly ? .readOnly : .readWrite, document: try place(call.document),
            tool: call.tool.isEmpty ? nil : try ToolIdentifier(call.tool),
            expires: call.hasExpires ? try Timestamp(call.expires) : nil)
        guard document == nil || tool == nil else {
            throw Checks.refusal("A bookmark is bound to a document or to a tool, not to both: leave one out.")
        }
    }
}

extension WireServiceCreateBookmark {
    fileprivate init(_ location: Location, _ options: BookmarkOptions) {
        self.init()
        self.location = location.description
        readOnly = options.rights == .readOnly
        document = options.document?.description ?? ""
        tool = options.tool?.rawValue ?? ""
        if let expires = options.expires { self.expires = WireModelTimestamp(expires) }
    }
}

extension BookmarkDescription {
    fileprivate init(_ wire: WireServiceBookmarkInfo) throws(DocumentError) {
        self.init(
            id: BookmarkIdentifier(rawValue: wire.id), madeAt: try Location(wire.madeAt),
            location: try place(wire.location), rights: wire.readOnly ? .readOnly : .readWrite,
            tool: wire.tool.isEmpty ? nil : try ToolIdentifier(wire.tool),
            document: try place(wire.document), created: try Timestamp(wire.created),
            expires: wire.hasExpires ? try Timestamp(wire.expires) : nil)
    }
}

extension WireServiceBookmarkInfo {
    fileprivate init(_ description: BookmarkDescription) {
        self.init()
        id = description.id.rawValue
        madeAt = description.madeAt.description
        location = description.location?.description ?? ""
        readOnly = description.rights == .readOnly
        tool = description.tool?.rawValue ?? ""
        document = description.document?.description ?? ""
        created = WireModelTimestamp(description.created)
        if let expires = description.expires { self.expires = WireModelTimestamp(expires) }
    }
}

/// Nil for none.
private func place(_ text: String) throws(DocumentError) -> Location? {
    text.isEmpty ? nil : try Location(text)
}
