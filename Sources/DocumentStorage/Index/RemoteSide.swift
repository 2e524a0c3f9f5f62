package import DocumentModel

/// A side of a conflict that another device has left at the remote (VER-2).
package struct RemoteSide: Hashable, Sendable {
    package var number: Int64
    package var itemID: ItemIdentifier
    /// What the provider calls it.
    package var version: String
    /// In bytes; nil when it is not known.
    package var size: Int64?
    /// Of the contents: SHA-256; nil when it is not known.
    package var digest: [UInt8]?
    package var modified: Timestamp
    /// Empty where it is not known.
    package var device: String
    /// It was resolved here, and is still to go at the remote (VER-6).
    package var isSettled = false

    package init(_ version: ProvidedVersion, of id: ItemIdentifier) {
        number = 0
        itemID = id
        self.version = version.id
        size = version.size
        digest = version.sha256
        modified = version.modified
        device = version.savedBy ?? ""
    }

    init(_ row: SQLStatement) throws {
        number = row.int(0)
        itemID = try ItemIdentifier(row.text(1))
        version = row.text(2)
        size = row.optionalInt(3)
        modified = Timestamp(seconds: row.int(4), nanoseconds: UInt32(truncatingIfNeeded: row.int(5)))
        device = row.text(6)
        isSettled = row.int(7) != 0
        digest = row.isNull(8) ? nil : row.blob(8)
    }

    /// Whether a version has these contents, as far as is said of both.
    func isOf(_ version: ProvidedVersion) -> Bool {
        func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one == nil || other == nil || one == other
        }
        return agree(size, version.size) && agree(digest, version.sha256)
    }

    /// What it is called here, before its contents are here and afterwards (VER-8): 32 hexadecimal digits.
    package var identifier: String {
        var digest = Digest()
        digest.add(Array("side".utf8) + [0])
        digest.add(Array(itemID.rawValue.utf8) + [0])
        digest.add(Array(version.utf8))
        return RandomName.hex(digest.finish().prefix(16))
    }
}

extension IndexReader {
    /// In the order in which they were heard of.
    package func remoteSides(of id: ItemIdentifier, in domain: DomainName) throws -> [RemoteSide] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.sideColumns + " WHERE domain = ? AND item = ? ORDER BY number", .int(own.number), .text(id.rawValue)
        ) { try RemoteSide($0) }
    }

    /// Those that nobody has resolved yet.
    package func unresolvedSides(of item: IndexedItem) throws -> [RemoteSide] {
        try remoteSides(of: item.id, in: item.domain).filter { !$0.isSettled }
    }

    package func remoteSides(in domain: DomainName) throws -> [RemoteSide] {
        let own = try reference(to: domain)
        return try sql.all(Self.sideColumns + " WHERE domain = ? ORDER BY number", .int(own.number)) {
            try RemoteSide($0)
        }
    }

    /// Items of which it is not known which sides the remote keeps: it keeps some, or is thought to, and the item has changed
    /// since they were listed. In the order of their rows.
    package func itemsWithUnlistedSides(in domain: DomainName) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        return try sql.all(
            ItemRow.columns + """
                 WHERE item.domain = ?1 AND item.kind = 0 AND item.gone = 0
                    AND (item.sides_listed IS NULL OR item.sides_listed <> item.metadata)
                    AND item.id IN (
                        SELECT id FROM item INDEXED BY item_sides WHERE domain = ?1 AND conflict_versions > 0
                        UNION SELECT item FROM remote_side WHERE domain = ?1
                        UNION SELECT item FROM own_side WHERE domain = ?1 AND version IS NOT NULL)
                ORDER BY item.row
                """, .int(own.number)
        ) { try ItemRow.read($0, domain: domain) }
    }

    private static let sideColumns = """
        SELECT number, item, version, size, modified, modified_ns, device, settled, digest FROM remote_side
        """
}

extension IndexTransaction {
    func addRemoteSide(_ side: RemoteSide, in domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT OR IGNORE INTO remote_side (domain, item, version, size, modified, modified_ns, device, digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(side.itemID.rawValue), .text(side.version), SQLValue(side.size),
            .int(side.modified.seconds), .int(Int64(side.modified.nanoseconds)), .text(side.device),
            SQLValue(side.digest))
    }

    /// It is resolved, and goes at the remote as soon as that can be.
    package func settle(_ side: RemoteSide) throws {
        try sql.run("UPDATE remote_side SET settled = 1 WHERE number = ?", .int(side.number))
    }

    func remove(_ side: RemoteSide) throws {
        try sql.run("DELETE FROM remote_side WHERE number = ?", .int(side.number))
    }

    /// - Parameter metadata: the version of the item's metadata before the remote was asked; nil: it is to be asked.
    func noteSidesListed(of id: ItemIdentifier, in domain: DomainName, metadata: [UInt8]?) throws {
        let own = try reference(to: domain)
        try sql.run(
            "UPDATE item SET sides_listed = ? WHERE domain = ? AND id = ?", SQLValue(metadata), .int(own.number),
            .text(id.rawValue))
    }
}
