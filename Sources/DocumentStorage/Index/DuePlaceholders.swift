internal import DocumentModel

/// Placeholders that listings have left to be made. To make a file takes many times as long as to write a row: a listing only
/// writes down, within its page's transaction, from which row on placeholders may be missing, so that no crash forgets them.
struct DuePlaceholders {
    /// Where these begin.
    var first: Int64
    /// The last row that was looked at.
    var last: Int64
    /// Where the next ones begin; nil at the end.
    var next: Int64?
    /// By their folders' places on disk.
    var folders: [Folder] = []

    struct Folder {
        var location: Location
        /// The first row in it.
        var first: Int64
        var placeholders: [Placeholder] = []
    }

    /// From a row on they could not be made, and stay due.
    mutating func keep(from row: Int64) { next = min(row, next ?? row) }
}

extension IndexReader {
    /// - Parameter limit: of rows that are looked at.
    /// - Returns: nil when none are due.
    func duePlaceholders(limit: Int) throws -> DuePlaceholders? {
        guard let first = try sql.first("SELECT first FROM due_placeholder", reading: { $0.int(0) }) else {
            return nil
        }
        let rows = try sql.all(
            """
            SELECT row, (SELECT name FROM domain WHERE number = item.domain) FROM item
            WHERE row >= ? ORDER BY row LIMIT ?
            """, .int(first), .int(Int64(limit))
        ) { (number: $0.int(0), domain: try DomainName($0.text(1))) }
        var due = DuePlaceholders(first: first, last: rows.last?.number ?? first - 1)
        if rows.count == limit { due.next = due.last + 1 }
        var numbers: [FolderKey: Int?] = [:]
        for row in rows {
            guard let item = try item(row: row.number, in: row.domain), let parent = item.item.parentID,
                item.local == nil, !item.isGone, item.state != .nameClash, let placeholder = Placeholder(item.item)
            else { continue }
            let folder = FolderKey(domain: row.domain, id: parent)
            let number: Int?
            if let known = numbers[folder] {
                number = known
            } else {
                let location = try shownFolder(folder)
                if let location { due.folders.append(DuePlaceholders.Folder(location: location, first: row.number)) }
                number = location == nil ? nil : due.folders.count - 1
                numbers[folder] = .some(number)
            }
            if let number { due.folders[number].placeholders.append(placeholder) }
        }
        return due
    }

    private struct FolderKey: Hashable {
        var domain: DomainName
        var id: ItemIdentifier
    }

    /// Where a folder is on disk; nil when it is not shown, or about to go with one around it.
    private func shownFolder(_ folder: FolderKey) throws -> Location? {
        var next: ItemIdentifier? = folder.id
        var steps = 0
        while let id = next, steps < 2 * Self.maximumDepth {
            guard let item = try item(id, in: folder.domain), !item.isGone, item.state != .nameClash else { return nil }
            next = item.item.parentID
            steps += 1
        }
        return try diskLocation(of: folder.id, in: folder.domain)
    }
}

extension IndexTransaction {
    func noteDuePlaceholders(from row: Int64) throws {
        try sql.run(
            """
            INSERT INTO due_placeholder VALUES (1, ?)
            ON CONFLICT (number) DO UPDATE SET first = min(first, excluded.first)
            """, .int(row))
    }

    /// They were made. Where a listing has gone back meanwhile, to a row that somebody else had before, it stays so.
    func settle(_ due: DuePlaceholders) throws {
        if let next = due.next {
            try sql.run("UPDATE due_placeholder SET first = ? WHERE first = ?", .int(next), .int(due.first))
        } else {
            try sql.run(
                "DELETE FROM due_placeholder WHERE first = ? AND NOT EXISTS (SELECT 1 FROM item WHERE row > ?)",
                .int(due.first), .int(due.last))
        }
    }
}
