package import DocumentModel

/// What lists of bookmarks look like.
package enum BookmarkListing {
    package static func text(_ bookmarks: [BookmarkDescription]) -> String {
        if bookmarks.isEmpty { return "There are no bookmarks.\n" }
        var table = Table([
            Table.Column("NUMBER"), Table.Column("MADE"), Table.Column("EXPIRES"), Table.Column("ALLOWS"),
            Table.Column("FOR"), Table.Column("ITEM"),
        ])
        for bookmark in bookmarks {
            table.add(
                bookmark.id.description, Words.time(bookmark.created), bookmark.expires.map(Words.time) ?? "never",
                bookmark.rights == .readOnly ? "reading" : "writing",
                bookmark.document?.description ?? bookmark.tool?.rawValue ?? "you", place(of: bookmark))
        }
        return table.text()
    }

    private static func place(of bookmark: BookmarkDescription) -> String {
        guard let location = bookmark.location else { return "\(bookmark.madeAt) (gone)" }
        return location == bookmark.madeAt ? "\(location)" : "\(location) (was \(bookmark.madeAt))"
    }
}

extension BookmarkDescription {
    package var json: JSON {
        .object([
            ("number", .string(id.description)),
            ("madeAt", .string(madeAt.description)),
            ("location", JSON(location?.description)),
            ("rights", .string(rights.rawValue)),
            ("tool", JSON(tool?.rawValue)),
            ("document", JSON(document?.description)),
            ("created", .string(Words.instant(created))),
            ("expires", JSON(expires.map(Words.instant))),
        ])
    }
}

extension ResolvedBookmark {
    package var json: JSON {
        .object([
            ("item", item.json),
            ("stale", .boolean(isStale)),
            ("rights", .string(rights.rawValue)),
        ])
    }
}
