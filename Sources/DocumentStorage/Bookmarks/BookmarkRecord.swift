package import DocumentModel

/// A bookmark, as the index has it: without this it is revoked, whatever its seal says.
package struct BookmarkRecord: Hashable, Sendable {
    package var id: BookmarkIdentifier
    package var domain: DomainName
    /// The item as it is called by now: one that was made anew at the provider has got another identifier.
    package var item: ItemIdentifier
    /// Where it was when the bookmark was made: elsewhere, the bookmark is stale.
    package var madeAt: Location
    package var rights: BookmarkRights
    package var tool: ToolIdentifier?
    /// The document that it is bound to, under its identifier by now, and where that was.
    package var document: BookmarkToken.Document?
    package var documentAt: Location?
    /// Seconds since 1970.
    package var created: Int64
    package var expires: Int64?
    /// The registered tool that made it; nil: one of the user's own programs.
    package var maker: ToolIdentifier?
    /// The bookmark because of which its maker could make it. It ends with that one.
    package var origin: BookmarkIdentifier?

    /// Whose it is: who may list and revoke it, and has it counted.
    package var holder: ToolIdentifier? { tool ?? maker }

    package init(
        id: BookmarkIdentifier, domain: DomainName, item: ItemIdentifier, madeAt: Location, rights: BookmarkRights,
        tool: ToolIdentifier?, document: BookmarkToken.Document?, documentAt: Location?, created: Int64,
        expires: Int64?, maker: ToolIdentifier? = nil, origin: BookmarkIdentifier? = nil
    ) {
        self.id = id
        self.domain = domain
        self.item = item
        self.madeAt = madeAt
        self.rights = rights
        self.tool = tool
        self.document = document
        self.documentAt = documentAt
        self.created = created
        self.expires = expires
        self.maker = maker
        self.origin = origin
    }
}

extension IndexReader {
    package func bookmark(_ id: BookmarkIdentifier) throws -> BookmarkRecord? {
        try sql.first(Self.bookmarkColumns + " WHERE bookmark.number = ?", .int(Int64(bitPattern: id.rawValue))) {
            try Self.bookmark($0)
        }
    }

    /// The oldest first.
    package func bookmarks() throws -> [BookmarkRecord] {
        try sql.all(Self.bookmarkColumns + " ORDER BY created, bookmark.number") { try Self.bookmark($0) }
    }

    /// How many a tool has; nil: the user's own programs.
    package func bookmarkCount(of tool: ToolIdentifier?) throws -> Int {
        let count = "SELECT count(*) FROM bookmark WHERE coalesce(tool, maker) IS ?"
        return Int(try sql.first(count, SQLValue(tool?.rawValue)) { $0.int(0) } ?? 0)
    }

    private static let bookmarkColumns = """
        SELECT bookmark.number, own.name, item, made_at, writes, tool, other.name, document, document_at, created, expires,
            maker, origin
        FROM bookmark JOIN domain AS own ON own.number = bookmark.domain
        LEFT JOIN domain AS other ON other.number = bookmark.document_domain
        """

    private static func bookmark(_ row: SQLStatement) throws -> BookmarkRecord {
        var document: BookmarkToken.Document?
        if let domain = row.optionalText(6), let item = row.optionalText(7) {
            document = BookmarkToken.Document(domain: try DomainName(domain), item: try ItemIdentifier(item))
        }
        return BookmarkRecord(
            id: BookmarkIdentifier(rawValue: UInt64(bitPattern: row.int(0))), domain: try DomainName(row.text(1)),
            item: try ItemIdentifier(row.text(2)), madeAt: try Location(row.text(3)),
            rights: row.int(4) == 0 ? .readOnly : .readWrite,
            tool: try row.optionalText(5).map { try ToolIdentifier($0) },
            document: document, documentAt: try row.optionalText(8).map { try Location($0) }, created: row.int(9),
            expires: row.optionalInt(10), maker: try row.optionalText(11).map { try ToolIdentifier($0) },
            origin: row.optionalInt(12).map { BookmarkIdentifier(rawValue: UInt64(bitPattern: $0)) })
    }
}

extension IndexTransaction {
    /// - Throws: `destinationExists` when the number is taken.
    package func addBookmark(_ bookmark: BookmarkRecord) throws {
        guard try self.bookmark(bookmark.id) == nil else {
            throw DocumentError(.destinationExists, "There is a bookmark \(bookmark.id) already: make it again.")
        }
        let own = try reference(to: bookmark.domain)
        let other = try bookmark.document.map { try reference(to: $0.domain) }
        try sql.run(
            """
            INSERT INTO bookmark (number, domain, item, made_at, writes, tool, document_domain, document, document_at,
                created, expires, maker, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(Int64(bitPattern: bookmark.id.rawValue)), .int(own.number), .text(bookmark.item.rawValue),
            .text(bookmark.madeAt.description), .int(bookmark.rights == .readWrite ? 1 : 0),
            SQLValue(bookmark.tool?.rawValue), SQLValue(other?.number), SQLValue(bookmark.document?.item.rawValue),
            SQLValue(bookmark.documentAt?.description), .int(bookmark.created), SQLValue(bookmark.expires),
            SQLValue(bookmark.maker?.rawValue), SQLValue(bookmark.origin.map { Int64(bitPattern: $0.rawValue) }))
    }

    /// - Returns: whether there was one.
    package func removeBookmark(_ id: BookmarkIdentifier) throws -> Bool {
        try sql.run("DELETE FROM bookmark WHERE number = ?", .int(Int64(bitPattern: id.rawValue)))
        return sql.changesCount > 0
    }

    /// Those that were made because of another one, which has ended, and those that were made because of them.
    package func removeBookmarks(madeBy origin: BookmarkIdentifier) throws -> [BookmarkIdentifier] {
        let number = SQLValue.int(Int64(bitPattern: origin.rawValue))
        let made = """
            WITH RECURSIVE made (number) AS (
                SELECT number FROM bookmark WHERE origin = ?
                UNION SELECT bookmark.number FROM bookmark JOIN made ON bookmark.origin = made.number
            )
            """
        let ids = try sql.all("\(made) SELECT number FROM made", number) {
            BookmarkIdentifier(rawValue: UInt64(bitPattern: $0.int(0)))
        }
        for id in ids { _ = try removeBookmark(id) }
        return ids
    }

    /// Those that are good for nothing any more.
    package func removeBookmarks(expiredBy now: Int64) throws {
        try sql.run("DELETE FROM bookmark WHERE expires <= ?", .int(now))
    }

    /// An item has got another identifier, and is the same one.
    func renameInBookmarks(_ id: ItemIdentifier, to newID: ItemIdentifier, _ domain: DomainReference) throws {
        let values: [SQLValue] = [.text(newID.rawValue), .int(domain.number), .text(id.rawValue)]
        try sql.run("UPDATE bookmark SET item = ? WHERE domain = ? AND item = ?", values[0], values[1], values[2])
        try sql.run(
            "UPDATE bookmark SET document = ? WHERE document_domain = ? AND document = ?", values[0], values[1],
            values[2])
    }
}
