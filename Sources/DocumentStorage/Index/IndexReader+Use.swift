package import DocumentModel

/// Where to go on among the documents that are here, the one that was used longest ago first.
package struct UseCursor: Hashable, Sendable {
    package var used: Int64
    package var row: Int64

    package static let start = UseCursor(used: .min, row: .min)
}

extension IndexReader {
    /// How many documents have contents here, and how many bytes those are; of all domains when it is nil.
    package func contentsHere(of domain: DomainName?) throws -> (documents: UInt64, bytes: UInt64) {
        let number = try domain.map { try reference(to: $0).number }
        return try sql.first(
            """
            SELECT count(*), total(local_size) FROM item
            WHERE local_inode IS NOT NULL AND (?1 IS NULL OR domain = ?1)
            """, SQLValue(number)
        ) { (UInt64(max($0.int(0), 0)), UInt64(max($0.int(1), 0))) } ?? (0, 0)
    }

    /// The same of an item and all that is known below it, and how many those are, a folder itself not among them. Takes as
    /// long as there are many.
    package func contentsHere(within item: IndexedItem) throws -> (items: UInt64, documents: UInt64, bytes: UInt64) {
        try sql.first(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT ?1 UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT count(*) - ?2, count(local_inode), total(CASE WHEN local_inode IS NOT NULL THEN local_size END)
            FROM item JOIN sub ON sub.row = item.row
            """, .int(item.row), .int(item.item.kind == .document ? 0 : 1)
        ) { (UInt64(max($0.int(0), 0)), UInt64(max($0.int(1), 0)), UInt64(max($0.int(2), 0))) } ?? (0, 0, 0)
    }

    /// Documents with contents here, in the order in which they were last used.
    package func leastRecentlyUsed(
        after cursor: UseCursor, limit: Int
    ) throws -> (items: [IndexedItem], next: UseCursor?) {
        let found = try sql.all(
            """
            SELECT item.row, item.used, domain.name FROM item JOIN domain ON domain.number = item.domain
            WHERE local_inode IS NOT NULL AND (item.used, item.row) > (?, ?) ORDER BY item.used, item.row LIMIT ?
            """, .int(cursor.used), .int(cursor.row), .int(Int64(limit))
        ) { (row: $0.int(0), used: $0.int(1), domain: try DomainName($0.text(2))) }
        let items = try found.compactMap { try item(row: $0.row, in: $0.domain) }
        return (items, found.count == limit ? found.last.map { UseCursor(used: $0.used, row: $0.row) } : nil)
    }

    /// Items that something is to be told of: those that are neither placeholders nor in sync, have a problem, or of which the
    /// remote keeps sides of conflicts. In the
    /// order of their rows, from behind `after`.
    package func unsettled(in domain: DomainName, after row: Int64 = 0, limit: Int = 1000) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        return try sql.all(
            ItemRow.columns
                + """
                 WHERE item.domain = ? AND item.row > ?
                    AND (item.state NOT IN (0, 2) OR item.problem_code IS NOT NULL OR item.conflict_versions > 0)
                ORDER BY item.row LIMIT ?
                """, .int(own.number), .int(row), .int(Int64(limit))
        ) { try ItemRow.read($0, domain: domain) }
    }
}

extension IndexTransaction {
    /// When documents were last used, in seconds since 1970; 0: not since they came. Those that are not known any more are left
    /// out.
    package func setUsed(_ times: [(id: ItemIdentifier, domain: DomainName, seconds: Int64)]) throws {
        for (id, domain, seconds) in times {
            try sql.run(
                """
                UPDATE item SET used = ?1 WHERE id = ?2 AND (used < ?1 OR ?1 = 0)
                    AND domain = (SELECT number FROM domain WHERE name = ?3)
                """, .int(seconds), .text(id.rawValue), .text(domain.rawValue))
        }
    }
}

/// What the user has chosen for the whole host.
extension IndexReader {
    package func spaceLimits() throws -> SpaceLimits? {
        let found = try sql.first("SELECT value FROM setting WHERE name = 'space'") { $0.text(0) }
        let marks = (found ?? "").split(separator: " ").compactMap { UInt64($0) }
        return marks.count == 2 ? try SpaceLimits(high: marks[0], low: marks[1]) : nil
    }
}

extension IndexTransaction {
    package func setSpaceLimits(_ limits: SpaceLimits?) throws {
        try sql.run("DELETE FROM setting WHERE name = 'space'")
        guard let limits else { return }
        try sql.run("INSERT INTO setting (name, value) VALUES ('space', ?)", .text("\(limits.high) \(limits.low)"))
    }
}
