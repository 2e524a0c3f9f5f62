package import DocumentModel

/// What a host tool asks about bookmarks: the checked form of those calls of `docent.service.v1.ServiceRequest`.
package enum BookmarkCall: Hashable, Sendable {
    case create(Location, BookmarkOptions)
    /// `document`: the one that the bookmark is bound to.
    case resolve(Bookmark, document: Location?)
    case start(Bookmark, document: Location?)
    case stop(Bookmark)
    case list
    case revoke(BookmarkIdentifier)
    case access(BookmarkedAccess)
}

/// A host tool's wish to read or write a bookmark's item, wherever it is by now.
package struct BookmarkedAccess: Hashable, Sendable {
    package var bookmark: Bookmark
    /// The one that the bookmark is bound to.
    package var document: Location?
    package var intent: AccessIntent
    package var writingOption: WritingOption?
    package var purpose: String?
    package var metadataOnly = false
    package var nestedIn: [UInt64] = []
    package var answering: UInt64?
    package var onBehalf: String?

    package init(_ bookmark: Bookmark, document: Location? = nil, intent: AccessIntent) {
        self.bookmark = bookmark
        self.document = document
        self.intent = intent
    }

    /// The same of a location.
    package func request(at location: Location) -> AccessRequest {
        var request = AccessRequest(
            location: location, intent: intent, writingOption: writingOption, purpose: purpose,
            metadataOnly: metadataOnly, nestedIn: nestedIn)
        request.answering = answering
        request.onBehalf = onBehalf
        request.bookmark = bookmark
        return request
    }
}

/// What the host answers to that.
package enum BookmarkReply: Hashable, Sendable {
    case create(Bookmark, BookmarkDescription)
    case resolve(ResolvedBookmark)
    /// Nil: granted.
    case start(refusal: DocumentError?)
    case list([BookmarkDescription])
}
