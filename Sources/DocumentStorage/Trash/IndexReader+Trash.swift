package import DocumentModel

/// An entry of the trash, as the index has it.
package struct TrashRecord: Hashable, Sendable {
    /// The later one has the higher number.
    package var number: UInt64
    package var document: TrashedDocument

    var domain: DomainName { document.location.domain }
}

extension IndexReader {
    /// The newest first.
    ///
    /// - Parameter number: what it begins behind.
    package func trash(
        _ choice: TrashChoice, before number: UInt64 = .max, limit: Int
    ) throws -> [TrashRecord] {
        let before = SQLValue.int(Int64(clamping: number))
        switch choice {
        case .all:
            return try sql.all(
                Self.trashColumns + " WHERE trash.number < ? ORDER BY trash.number DESC LIMIT ?", before,
                .int(Int64(limit)), reading: Self.trashRecord)
        case .one(let id):
            return try sql.all(
                Self.trashColumns + " WHERE trash.id = ? AND trash.number < ?", .text(id), before,
                reading: Self.trashRecord)
        case .below(let location):
            let path = location.relativePath
            // In the order of the numbers, without sorting. Of what lies below it: everything between its path with a slash, and with what comes after a slash.
            return try sql.all(
                Self.trashColumns + """
                     WHERE +trash.domain = (SELECT number FROM domain WHERE name = ?1) AND trash.number < ?2
                        AND (?3 = '' OR path = ?3 OR path > ?3 || '/' AND path < ?3 || '0')
                     ORDER BY trash.number DESC LIMIT ?4
                    """, .text(location.domain.rawValue), before, .text(path), .int(Int64(limit)),
                reading: Self.trashRecord)
        }
    }

    func oldestTrash(limit: Int) throws -> [TrashRecord] {
        try sql.all(
            Self.trashColumns + " ORDER BY trash.number LIMIT ?", .int(Int64(limit)), reading: Self.trashRecord)
    }

    /// What was removed at a time or before it.
    func trash(removedBy date: Int64, limit: Int) throws -> [TrashRecord] {
        try sql.all(
            Self.trashColumns + " WHERE trash.removed <= ? ORDER BY trash.removed LIMIT ?", .int(date),
            .int(Int64(limit)), reading: Self.trashRecord)
    }

    func trash(of domain: DomainName) throws -> [TrashRecord] {
        try trash(.below(Location(domain: domain)), limit: .max)
    }

    package func trashStatus() throws -> TrashStatus {
        let limits = try trashLimits()
        return try sql.first("SELECT count(*), coalesce(sum(size), 0) FROM trash") {
            TrashStatus(
                limits: limits, documents: UInt64(max($0.int(0), 0)), bytes: UInt64(max($0.int(1), 0)))
        } ?? TrashStatus(limits: limits, documents: 0, bytes: 0)
    }

    func trashLimits() throws -> TrashLimits {
        let found = try sql.first("SELECT value FROM setting WHERE name = 'trash'") { $0.text(0) }
        let parts = (found ?? "").split(separator: " ").compactMap { UInt64($0) }
        return parts.count == 2 ? TrashLimits(bytes: parts[0], days: UInt32(clamping: parts[1])) : .usual
    }

    private static let trashColumns = """
        SELECT trash.number, domain.name, id, path, size, modified, modified_ns, removed
        FROM trash JOIN domain ON domain.number = trash.domain
        """

    private static func trashRecord(_ row: SQLStatement) throws -> TrashRecord {
        TrashRecord(
            number: UInt64(max(row.int(0), 0)),
            document: TrashedDocument(
                id: row.text(2), location: try Location("\(row.text(1)):/\(row.text(3))"),
                size: UInt64(max(row.int(4), 0)),
                modified: Timestamp(seconds: row.int(5), nanoseconds: UInt32(truncatingIfNeeded: row.int(6))),
                removed: row.int(7)))
    }
}

extension IndexTransaction {
    func addTrash(_ document: TrashedDocument) throws {
        let own = try reference(to: document.location.domain)
        try sql.run(
            """
            INSERT OR IGNORE INTO trash (domain, id, path, size, modified, modified_ns, removed) VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(document.id), .text(document.location.relativePath),
            .int(Int64(clamping: document.size)), .int(document.modified.seconds),
            .int(Int64(document.modified.nanoseconds)), .int(document.removed))
    }

    func removeTrash(number: UInt64) throws {
        try sql.run("DELETE FROM trash WHERE number = ?", .int(Int64(clamping: number)))
    }

    package func setTrashLimits(_ limits: TrashLimits) throws {
        try sql.run("DELETE FROM setting WHERE name = 'trash'")
        try sql.run(
            "INSERT INTO setting (name, value) VALUES ('trash', ?)", .text("\(limits.bytes) \(limits.days)"))
    }
}
