package import DocumentModel

/// Which folders are known completely.
extension IndexReader {
    package func listing(of folder: ItemIdentifier, in domain: DomainName) throws -> ListingState {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        return try sql.first(
            "SELECT complete, generation, next, under_way FROM listing WHERE folder = ?", .int(row)
        ) { row in
            ListingState(
                isComplete: row.int(0) != 0,
                generation: row.int(1),
                nextPage: row.int(3) == 0 || row.isNull(2) ? nil : try PageToken(row.blob(2))
            )
        } ?? ListingState(isComplete: false, generation: 0, nextPage: nil)
    }

    /// The folders that were listed completely at least once.
    package func listedFolders(of domain: DomainName) throws -> [ItemIdentifier] {
        let own = try reference(to: domain)
        return try sql.all(
            """
            SELECT item.id FROM listing CROSS JOIN item ON item.row = listing.folder
            WHERE item.domain = ? AND listing.complete = 1 ORDER BY listing.folder
            """, .int(own.number)
        ) { try ItemIdentifier($0.text(0)) }
    }

    /// Those of a folder's folders that were never listed completely, in the order of their names; what was made here and is
    /// not sent yet has nothing in it that is not known.
    package func unlistedFolders(in folder: ItemIdentifier, of domain: DomainName) throws -> [ItemIdentifier] {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return [] }
        return try sql.all(
            """
            SELECT item.id FROM item LEFT JOIN listing ON listing.folder = item.row
            WHERE item.parent = ? AND item.kind = 1 AND item.gone = 0 AND coalesce(listing.complete, 0) = 0
            ORDER BY item.name_key, item.row
            """, .int(row)
        ) { try ItemIdentifier($0.text(0)) }.filter { !$0.isArriving }
    }
}
