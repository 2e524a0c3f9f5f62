package import DocumentModel

/// Contents that have begun to come in parts: what an interrupted download goes on with (DOWN-10).
package struct PartialContents: Hashable, Sendable {
    package var number: Int64
    package var itemID: ItemIdentifier
    /// Which contents they are of.
    package var version: [UInt8]
    /// Of the whole, in bytes.
    package var size: Int64
    /// Of each part but the last, in bytes.
    package var partSize: Int64
    /// The request whose file they are in, and that file.
    package var staging: String
    package var inode: UInt64
    /// In which life of the machine they came.
    package var boot: String
    /// The parts that are here, by their numbers, with their digests.
    package var digests: [Int: [UInt8]] = [:]
    /// The same of those that came in an earlier life of the machine, and may never have reached the disk.
    package var unsure: [Int: [UInt8]] = [:]

    /// Which bytes a part is.
    package func bytes(of part: Int) -> Range<Int64> {
        let end = min(Int64(part + 1) * partSize, size)
        return min(Int64(part) * partSize, end)..<end
    }
}

/// All parts of a file that nobody writes to any more.
package struct SettledParts: Sendable {
    /// What is changed afterwards is not this any more.
    package var file: FileIdentity
    /// Of the parts that have one, by their numbers.
    package var digests: [Int: [UInt8]]
}

extension IndexReader {
    /// - Returns: nil when it was not begun; without parts while none has come.
    package func partialContents(of id: ItemIdentifier, in domain: DomainName) throws -> PartialContents? {
        let own = try reference(to: domain)
        let found = try sql.first(
            Self.partialColumns + " WHERE domain = ? AND item = ?", .int(own.number), .text(id.rawValue),
            reading: Self.partial)
        guard var found else { return nil }
        let parts = try sql.all(
            "SELECT part, digest FROM partial_part WHERE partial = ?", .int(found.number),
            reading: { (Int($0.int(0)), $0.blob(1)) })
        for (part, digest) in parts { found.digests[part] = digest }
        return found
    }

    /// Whether it is not dropped.
    func isKept(_ partial: PartialContents) throws -> Bool {
        try sql.first("SELECT 1 FROM partial WHERE number = ?", .int(partial.number), reading: { _ in true }) ?? false
    }

    /// Whether its rest is coming just now.
    func isComing(_ partial: PartialContents) throws -> Bool {
        try sql.first(
            """
            SELECT 1 FROM partial JOIN journal ON journal.domain = partial.domain AND journal.item = partial.item
            WHERE partial.number = ? AND journal.action = ?
            """, .int(partial.number), .text(JournalAction.materialise.rawValue), reading: { _ in true }) ?? false
    }

    /// The requests in which parts are kept.
    func partialRequests() throws -> [String] { try sql.all("SELECT staging FROM partial") { $0.text(0) } }

    /// Parts of what is not what its provider has, or not a document any more, or that nobody went on with for long;
    /// without their digests. None that are coming just now.
    ///
    /// - Parameter before: in seconds since 1970.
    func needlessParts(before: Int64) throws -> [PartialContents] {
        try sql.all(
            Self.partialColumns + """
                 WHERE (used < ? OR NOT EXISTS (
                    SELECT 1 FROM item
                    WHERE item.domain = partial.domain AND item.id = partial.item AND item.content = partial.version
                        AND item.gone = 0))
                    AND NOT EXISTS (
                        SELECT 1 FROM journal
                        WHERE journal.domain = partial.domain AND journal.item = partial.item AND journal.action = ?)
                """, .int(before), .text(JournalAction.materialise.rawValue), reading: Self.partial)
    }

    private static let partialColumns = """
        SELECT number, item, version, size, part_size, staging, inode, boot FROM partial
        """

    private static func partial(_ row: SQLStatement) throws -> PartialContents {
        PartialContents(
            number: row.int(0), itemID: try ItemIdentifier(row.text(1)), version: row.blob(2), size: row.int(3),
            partSize: row.int(4), staging: row.text(5), inode: UInt64(bitPattern: row.int(6)), boot: row.text(7))
    }
}

extension IndexTransaction {
    /// - Parameter now: in seconds since 1970.
    /// - Returns: the same with its number.
    func add(_ partial: PartialContents, in domain: DomainName, now: Int64) throws -> PartialContents {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT INTO partial (domain, item, version, size, part_size, staging, inode, boot, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(partial.itemID.rawValue), .blob(partial.version), .int(partial.size),
            .int(partial.partSize), .text(partial.staging), .int(Int64(bitPattern: partial.inode)),
            .text(partial.boot), .int(now))
        var added = partial
        added.number = sql.lastInsertedRow
        return added
    }

    /// It is gone on with.
    func used(_ partial: PartialContents, now: Int64) throws {
        try sql.run("UPDATE partial SET used = ? WHERE number = ?", .int(now), .int(partial.number))
    }

    /// All that is known to be here was seen in this life of the machine.
    func belongs(_ partial: PartialContents, to boot: String) throws {
        try sql.run("UPDATE partial SET boot = ? WHERE number = ?", .text(boot), .int(partial.number))
    }

    func addPart(_ part: Int, digest: [UInt8], to partial: PartialContents) throws {
        try sql.run(
            "INSERT OR REPLACE INTO partial_part (partial, part, digest) SELECT number, ?, ? FROM partial WHERE number = ?",
            .int(Int64(part)), .blob(digest), .int(partial.number))
    }

    func removePart(_ part: Int, of partial: PartialContents) throws {
        try sql.run(
            "DELETE FROM partial_part WHERE partial = ? AND part = ?", .int(partial.number), .int(Int64(part)))
    }

    func remove(_ partial: PartialContents) throws {
        try sql.run("DELETE FROM partial WHERE number = ?", .int(partial.number))
    }
}
