/// What a host knows of a bookmark, for lists. It is not the bookmark, and opens nothing.
public struct BookmarkDescription: Hashable, Sendable {
    /// What it is revoked by.
    public var id: BookmarkIdentifier
    /// Where the item was when the bookmark was made.
    public var madeAt: Location
    /// Where the item is now; nil when it is not known here any more.
    public var location: Location?
    public var rights: BookmarkRights
    /// The tool that it is bound to; nil for the user's own programs, and for one that is bound to a document.
    public var tool: ToolIdentifier?
    /// The document that it is bound to, as it was called then (BOOK-3).
    public var document: Location?
    public var created: Timestamp
    /// From when on it gives nothing; nil for never.
    public var expires: Timestamp?

    /// What a host tells, or a test makes up.
    public init(
        id: BookmarkIdentifier, madeAt: Location, location: Location? = nil, rights: BookmarkRights = .readWrite,
        tool: ToolIdentifier? = nil, document: Location? = nil, created: Timestamp = .zero, expires: Timestamp? = nil
    ) {
        self.id = id
        self.madeAt = madeAt
        self.location = location
        self.rights = rights
        self.tool = tool
        self.document = document
        self.created = created
        self.expires = expires
    }
}

/// What a bookmark stands for now. It is no access yet (BOOK-2).
public struct ResolvedBookmark: Hashable, Sendable {
    /// The item, where it is by now.
    public var item: ItemStatus
    /// It was moved or renamed since the bookmark was made: the bookmark is still good, and a new one should be made
    /// (BOOK-3).
    public var isStale: Bool
    public var rights: BookmarkRights

    /// What a host tells, or a test makes up.
    public init(item: ItemStatus, isStale: Bool, rights: BookmarkRights) {
        self.item = item
        self.isStale = isStale
        self.rights = rights
    }
}

/// What a bookmark is to be like.
public struct BookmarkOptions: Hashable, Sendable {
    public var rights: BookmarkRights
    /// Bound to this document, not to the tool: whoever may read the document may use the bookmark (BOOK-3).
    public var document: Location?
    /// For another tool. Only the user's own programs may make such ones.
    public var tool: ToolIdentifier?
    /// From when on it gives nothing; nil for never.
    public var expires: Timestamp?

    /// By default it is for reading and writing, bound to the tool, and for ever.
    public init(
        rights: BookmarkRights = .readWrite, document: Location? = nil, tool: ToolIdentifier? = nil,
        expires: Timestamp? = nil
    ) {
        self.rights = rights
        self.document = document
        self.tool = tool
        self.expires = expires
    }
}
