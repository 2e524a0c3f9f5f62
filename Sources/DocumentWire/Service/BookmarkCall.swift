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
}

/// What the host answers to that.
package enum BookmarkReply: Hashable, Sendable {
    case create(Bookmark, BookmarkDescription)
    case resolve(ResolvedBookmark)
    /// Nil: granted.
    case start(refusal: DocumentError?)
    case list([BookmarkDescription])
}
