package import DocumentModel

/// What somebody has asked to have brought and that has not come yet: documents, and folders below which not all is known. It
/// outlives the host (XFER-8, DOWN-1).
extension IndexReader {
    /// In the order of their rows.
    package func downloadRequests(in domain: DomainName) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        return try sql.all(
            ItemRow.columns
                + " WHERE item.domain = ? AND item.row IN (SELECT item FROM download_request) ORDER BY item.row",
            .int(own.number)
        ) { try ItemRow.read($0, domain: domain) }
    }
}

extension IndexTransaction {
    /// To ask again is harmless.
    package func keepDownloadRequests(_ items: [IndexedItem]) throws {
        for item in items {
            // It may have gone since it was read.
            try sql.run(
                "INSERT OR IGNORE INTO download_request (item) SELECT row FROM item WHERE row = ?", .int(item.row))
        }
    }

    /// It has come, or nobody wants it here any more; for a folder: all that is below it is asked for by itself.
    package func dropDownloadRequest(of item: IndexedItem) throws {
        try sql.run("DELETE FROM download_request WHERE item = ?", .int(item.row))
    }
}
