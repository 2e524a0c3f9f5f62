internal import DocumentModel

/// Contents that a provider was given and has not answered for: whether it has taken them, only it knows. Where the remote turns
/// out to have them, they are what was here, and what was written since began from them (VER-15).
///
/// Known by their digests (SHA-256), and by the version that they were sent over: once another one was agreed on, they say nothing.
extension IndexReader {
    /// Whether there are any of an item.
    package func hasUnanswered(of item: IndexedItem) throws -> Bool {
        try sql.first("SELECT 1 FROM unanswered WHERE item = ? LIMIT 1", .int(item.row)) { _ in true } ?? false
    }

    func isUnanswered(_ digest: [UInt8], of item: IndexedItem, over base: ItemVersion) throws -> Bool {
        try sql.first(
            "SELECT 1 FROM unanswered WHERE item = ? AND base = ? AND digest = ?", .int(item.row),
            .blob(base.content), .blob(digest)
        ) { _ in true } ?? false
    }
}

extension IndexTransaction {
    /// So many of one document: who is offline may save as often as they like.
    private static var mostUnanswered: Int64 { 32 }

    func keepUnanswered(_ digest: [UInt8], of item: IndexedItem, over base: ItemVersion) throws {
        // An empty one equals no digest: it could not be taken.
        guard !digest.isEmpty else { return }
        try sql.run(
            "INSERT OR REPLACE INTO unanswered (item, base, digest) VALUES (?, ?, ?)", .int(item.row),
            .blob(base.content), .blob(digest))
        try sql.run(
            """
            DELETE FROM unanswered WHERE item = ?1 AND number NOT IN
                (SELECT number FROM unanswered WHERE item = ?1 ORDER BY number DESC LIMIT ?2)
            """, .int(item.row), .int(Self.mostUnanswered))
    }

    /// The provider has answered for what was sent after them.
    func forgetUnanswered(of item: IndexedItem) throws {
        try sql.run("DELETE FROM unanswered WHERE item = ?", .int(item.row))
        try sql.run("DELETE FROM outstanding WHERE item = ?", .int(item.row))
    }
}
