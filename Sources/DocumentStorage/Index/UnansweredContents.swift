internal import DocumentModel

/// Contents that a provider was given and has not answered for: whether it has taken them, only it knows. The same contents are
/// given to it under the same operation's name again, so that it may say what that has come to; and where the remote turns out to
/// have them, they are what was here, and what was written since began from them (VER-15).
///
/// Known by their digests (SHA-256), and by the version that they were sent over: once another one was agreed on, they say nothing.
extension IndexReader {
    /// Whether there are any of an item.
    package func hasUnanswered(of item: IndexedItem) throws -> Bool {
        try sql.first("SELECT 1 FROM unanswered WHERE item = ? LIMIT 1", .int(item.row)) { _ in true } ?? false
    }

    /// - Returns: the name of the operation that they were given under; nil when they were not.
    func unanswered(_ digest: [UInt8], of item: IndexedItem, over base: ItemVersion) throws -> String? {
        try sql.first(
            "SELECT operation FROM unanswered WHERE item = ? AND base = ? AND digest = ?", .int(item.row),
            .blob(base.content), .blob(digest)
        ) { $0.text(0) }
    }
}

extension IndexTransaction {
    /// So many of one document: who is offline may save as often as they like.
    private static var mostUnanswered: Int64 { 32 }

    func keepUnanswered(
        _ digest: [UInt8], of item: IndexedItem, over base: ItemVersion, operation: String
    ) throws {
        try sql.run(
            "INSERT OR REPLACE INTO unanswered (item, base, digest, operation) VALUES (?, ?, ?, ?)", .int(item.row),
            .blob(base.content), .blob(digest), .text(operation))
        try sql.run(
            """
            DELETE FROM unanswered WHERE item = ?1 AND number NOT IN
                (SELECT number FROM unanswered WHERE item = ?1 ORDER BY number DESC LIMIT ?2)
            """, .int(item.row), .int(Self.mostUnanswered))
    }

    /// The provider has refused what it was asked for by that name.
    func forgetUnanswered(of item: IndexedItem, operation: String) throws {
        try sql.run("DELETE FROM unanswered WHERE item = ? AND operation = ?", .int(item.row), .text(operation))
    }

    /// The provider has answered for what was sent after them.
    func forgetUnanswered(of item: IndexedItem) throws {
        try sql.run("DELETE FROM unanswered WHERE item = ?", .int(item.row))
    }
}
