package import DocumentModel

/// What the remote keeps, or is to keep, of this device's side of a conflict (VER-2).
package struct OwnSide: Hashable, Sendable {
    package var number: Int64
    package var itemID: ItemIdentifier
    /// The same in every repetition of what was asked for.
    package var operation: String
    /// What the provider calls it; nil until it has answered.
    package var version: String?
    /// Of the contents: SHA-256.
    package var digest: [UInt8]
    /// The document's file when these were its contents.
    package var inode: UInt64
    package var size: Int64
    package var modified: Timestamp
    /// When it counts as written for every other device: as the remote has said when it was given it. Nil where it has not.
    package var written: Timestamp?
    /// The remote has listed it: when it does not any more, somebody has resolved it.
    package var isSeen = false

    /// Whether a file has these contents still, as far as can be told without reading it.
    package func isOf(_ file: FileIdentity) -> Bool {
        inode == file.inode && size == file.size && modified == file.modified
    }
}

extension IndexReader {
    /// When what is here of a document in conflict counts as written for every other device; nil while the remote does not keep it.
    package func writtenElsewhere(of item: IndexedItem) throws -> Timestamp? {
        guard item.state == .conflict, let local = item.local,
            let side = try ownSides(of: item.id, in: item.domain).last, side.version != nil, side.isOf(local)
        else { return nil }
        return side.written
    }

    /// The newest last.
    package func ownSides(of id: ItemIdentifier, in domain: DomainName) throws -> [OwnSide] {
        try ownSides(in: domain).filter { $0.itemID == id }
    }

    /// In the order in which they were made.
    package func ownSides(in domain: DomainName) throws -> [OwnSide] {
        let own = try reference(to: domain)
        return try sql.all(
            """
            SELECT number, item, operation, version, digest, inode, size, modified, modified_ns, seen, written, written_ns
            FROM own_side WHERE domain = ? ORDER BY number
            """, .int(own.number)
        ) { row in
            OwnSide(
                number: row.int(0), itemID: try ItemIdentifier(row.text(1)), operation: row.text(2),
                version: row.optionalText(3), digest: row.blob(4), inode: UInt64(bitPattern: row.int(5)),
                size: row.int(6),
                modified: Timestamp(seconds: row.int(7), nanoseconds: UInt32(truncatingIfNeeded: row.int(8))),
                written: row.optionalInt(10).map {
                    Timestamp(seconds: $0, nanoseconds: UInt32(truncatingIfNeeded: row.int(11)))
                }, isSeen: row.int(9) != 0)
        }
    }
}

extension IndexTransaction {
    /// - Returns: the side, with its number.
    func addOwnSide(_ side: OwnSide, in domain: DomainName) throws -> OwnSide {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT INTO own_side (domain, item, operation, version, digest, inode, size, modified, modified_ns)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(side.itemID.rawValue), .text(side.operation), SQLValue(side.version),
            .blob(side.digest), .int(Int64(bitPattern: side.inode)), .int(side.size), .int(side.modified.seconds),
            .int(Int64(side.modified.nanoseconds)))
        var added = side
        added.number = sql.lastInsertedRow
        return added
    }

    func update(_ side: OwnSide) throws {
        try sql.run(
            """
            UPDATE own_side SET version = ?, digest = ?, inode = ?, size = ?, modified = ?, modified_ns = ?, seen = ?,
                written = ?, written_ns = ?
            WHERE number = ?
            """, SQLValue(side.version), .blob(side.digest), .int(Int64(bitPattern: side.inode)), .int(side.size),
            .int(side.modified.seconds), .int(Int64(side.modified.nanoseconds)), .int(side.isSeen ? 1 : 0),
            SQLValue(side.written?.seconds), SQLValue(side.written.map { Int64($0.nanoseconds) }),
            .int(side.number))
    }

    package func remove(_ side: OwnSide) throws {
        try sql.run("DELETE FROM own_side WHERE number = ?", .int(side.number))
    }

    func renameInSides(_ id: ItemIdentifier, to newID: ItemIdentifier, _ domain: Int64) throws {
        for table in ["own_side", "remote_side"] {
            try sql.run(
                "UPDATE OR REPLACE \(table) SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue),
                .int(domain), .text(id.rawValue))
        }
    }
}
