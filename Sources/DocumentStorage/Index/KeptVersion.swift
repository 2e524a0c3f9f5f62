package import DocumentModel

/// Contents of an item that are kept beside its file, and are no conflict's.
package struct KeptVersion: Hashable, Sendable {
    package enum Role: Int64, Sendable {
        /// What an edit began from that was not sent yet (VER-13).
        case base = 0
        /// What was here before.
        case older = 1
        /// What the remote had when somebody had it fetched (VER-8).
        case fetched = 2
        /// A side of a conflict that another device has left at the remote, and somebody had fetched (VER-2).
        case side = 3
    }

    package var number: Int64
    package var itemID: ItemIdentifier
    package var role: Role
    /// What the provider called these contents; none for contents that it never had.
    package var version: ItemVersion
    /// A path below `versions/`.
    package var kept: String
    package var size: Int64
    package var modified: Timestamp
    /// What the device calls itself that saved them; empty where it is not known.
    package var device: String
    /// What the contents were called as the current ones, or at the remote; empty: as their place is.
    package var name: String

    package init(
        number: Int64 = 0, itemID: ItemIdentifier, role: Role, version: ItemVersion, kept: String, size: Int64,
        modified: Timestamp, device: String = "", name: String = ""
    ) {
        self.number = number
        self.itemID = itemID
        self.role = role
        self.version = version
        self.kept = kept
        self.size = size
        self.modified = modified
        self.device = device
        self.name = name
    }

    /// The same for as long as the contents are kept, over restarts too (VER-8).
    package var identifier: String { name.isEmpty ? VersionStore.identifier(of: kept) : name }
}

extension IndexReader {
    /// The newest first.
    package func keptVersions(of id: ItemIdentifier, in domain: DomainName) throws -> [KeptVersion] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.keptVersionColumns + " WHERE domain = ? AND item = ? ORDER BY number DESC", .int(own.number),
            .text(id.rawValue), reading: Self.keptVersion)
    }

    /// What both sides of a document's conflict began from, where it is kept here.
    package func conflictBase(of item: IndexedItem) throws -> KeptVersion? {
        guard let conflict = try conflicts(in: item.domain).last(where: { $0.itemID == item.id }) else { return nil }
        return try keptVersions(of: item.id, in: item.domain)
            .first { $0.role == .base && $0.version.content == conflict.base?.content }
    }

    /// Those that are kept at a place below `versions/`.
    func keptVersions(at place: String, in domain: DomainName) throws -> [KeptVersion] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.keptVersionColumns + " WHERE domain = ? AND kept >= ? AND kept < ?", .int(own.number),
            .text("\(domain)/\(place)/"), .text("\(domain)/\(place)0"), reading: Self.keptVersion)
    }

    /// Those of items that are not known any more, and bases of items that have no unsent changes.
    func needlessVersions(in domain: DomainName) throws -> [KeptVersion] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.keptVersionColumns + """
                 WHERE domain = ?1 AND (
                    NOT EXISTS (SELECT 1 FROM item WHERE item.domain = ?1 AND item.id = kept_version.item)
                    OR role = 0 AND NOT EXISTS (
                        SELECT 1 FROM item
                        WHERE item.domain = ?1 AND item.id = kept_version.item AND item.state IN (4, 5, 6)))
                """, .int(own.number), reading: Self.keptVersion)
    }

    private static let keptVersionColumns = """
        SELECT number, item, role, content, metadata, kept, size, modified, modified_ns, device, name
        FROM kept_version
        """

    private static func keptVersion(_ row: SQLStatement) throws -> KeptVersion {
        guard let role = KeptVersion.Role(rawValue: row.int(2)) else {
            throw DocumentError(
                .localStorage, "The index holds a kept version of the kind \(row.int(2)), which nobody has written.")
        }
        return KeptVersion(
            number: row.int(0), itemID: try ItemIdentifier(row.text(1)), role: role,
            version: try ItemVersion(content: row.blob(3), metadata: row.blob(4)), kept: row.text(5), size: row.int(6),
            modified: Timestamp(seconds: row.int(7), nanoseconds: UInt32(truncatingIfNeeded: row.int(8))),
            device: row.text(9), name: row.text(10))
    }
}

extension IndexTransaction {
    /// - Returns: as it is known from now on: a name that another one of its item has is that one's.
    @discardableResult
    package func addKeptVersion(_ version: KeptVersion, in domain: DomainName) throws -> KeptVersion {
        let own = try reference(to: domain)
        var version = version
        if try !version.name.isEmpty
            && keptVersions(of: version.itemID, in: domain).contains(where: { $0.identifier == version.name })
        {
            version.name = ""
        }
        try sql.run(
            """
            INSERT INTO kept_version
                (domain, item, role, content, metadata, kept, size, modified, modified_ns, device, name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(version.itemID.rawValue), .int(version.role.rawValue),
            .blob(version.version.content), .blob(version.version.metadata), .text(version.kept), .int(version.size),
            .int(version.modified.seconds), .int(Int64(version.modified.nanoseconds)), .text(version.device),
            .text(version.name))
        return version
    }

    /// What edits began from is older contents now.
    func retireBases(of id: ItemIdentifier, in domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run(
            "UPDATE kept_version SET role = 1 WHERE domain = ? AND item = ? AND role = 0", .int(own.number),
            .text(id.rawValue))
    }

    func removeKeptVersion(number: Int64) throws {
        try sql.run("DELETE FROM kept_version WHERE number = ?", .int(number))
    }

    func renameInVersions(_ id: ItemIdentifier, to newID: ItemIdentifier, _ domain: Int64) throws {
        try sql.run(
            "UPDATE kept_version SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue), .int(domain),
            .text(id.rawValue))
    }
}
