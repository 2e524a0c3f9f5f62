internal import DocumentModel

/// The rows of items, as applying reads and writes them.
extension ItemApplier {
    /// A row as far as applying needs it.
    struct Existing {
        var row: Int64
        var parent: Int64?
        var name: String
        var key: String
        var kind: ItemKind
        var state: Int64
        var content: [UInt8]
        var synced: [UInt8]?
        var generation: Int64
        var wantedParent: Int64?
        var wantedName: String?
        var isGone: Bool
        /// All that is told about an item and has no other consequence.
        var metadata: Metadata
    }

    struct Metadata: Equatable {
        var type: String
        var size: Int64?
        var modified: Timestamp
        var created: Timestamp
        var content: [UInt8]
        var metadata: [UInt8]
        var capabilities: UInt32
        var conflictVersions: Int64

        init(_ item: Item) {
            type = item.contentType.identifier
            size = item.size
            modified = item.modified
            created = item.created
            content = item.version.content
            metadata = item.version.metadata
            capabilities = item.capabilities.rawValue
            conflictVersions = Int64(item.conflictVersions)
        }

        /// But for the version of the metadata, of which a name is a part.
        func isOther(than known: Metadata) -> Bool {
            var known = known
            known.metadata = metadata
            return self != known
        }

        init(_ row: SQLStatement, from column: Int32) {
            type = row.text(column)
            size = row.optionalInt(column + 1)
            modified = Timestamp(
                seconds: row.int(column + 2), nanoseconds: UInt32(truncatingIfNeeded: row.int(column + 3)))
            created = Timestamp(
                seconds: row.int(column + 4), nanoseconds: UInt32(truncatingIfNeeded: row.int(column + 5)))
            content = row.blob(column + 6)
            metadata = row.blob(column + 7)
            capabilities = UInt32(truncatingIfNeeded: row.int(column + 8))
            conflictVersions = row.int(column + 9)
        }
    }

    static let holderQuery =
        "SELECT row FROM item WHERE parent = ? AND name_key = ? AND state <> 7 LIMIT 1"

    /// Who has a name in a folder.
    func holder(of key: String, in parent: Int64) throws -> Int64? {
        try sql.first(Self.holderQuery, .int(parent), .text(key)) { $0.int(0) }
    }

    static let insertion = """
        INSERT INTO item (domain, id, parent, name, name_key, kind, type, size, modified, modified_ns, created,
            created_ns, content, metadata, capabilities, generation, state, conflict_versions)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain, id) DO NOTHING
        """

    /// - Returns: false when the item has a row already.
    mutating func insert(
        _ item: Item, _ name: ItemName, _ key: String, _ parent: Int64, _ generation: Int64, state: Int64,
        _ statement: SQLStatement
    ) throws -> Bool {
        statement.reset()
        try statement.bind(.int(domain.number), at: 1)
        try statement.bind(.text(item.id.rawValue), at: 2)
        try statement.bind(.int(parent), at: 3)
        try statement.bind(.text(name.rawValue), at: 4)
        try statement.bind(.text(key), at: 5)
        try statement.bind(.int(ItemRow.number(of: item.kind)), at: 6)
        try statement.bind(.text(item.contentType.identifier), at: 7)
        try statement.bind(SQLValue(item.size), at: 8)
        try statement.bind(.int(item.modified.seconds), at: 9)
        try statement.bind(.int(Int64(item.modified.nanoseconds)), at: 10)
        try statement.bind(.int(item.created.seconds), at: 11)
        try statement.bind(.int(Int64(item.created.nanoseconds)), at: 12)
        try statement.bind(.blob(item.version.content), at: 13)
        try statement.bind(.blob(item.version.metadata), at: 14)
        try statement.bind(.int(Int64(item.capabilities.rawValue)), at: 15)
        try statement.bind(.int(generation), at: 16)
        try statement.bind(.int(state), at: 17)
        try statement.bind(.int(Int64(item.conflictVersions)), at: 18)
        while try statement.step() {}
        guard sql.changesCount == 1 else { return false }
        outcome.inserted += 1
        transaction.note(.appeared(domain.name, item.id))
        firstInserted = min(firstInserted ?? .max, sql.lastInsertedRow)
        try count(item.kind, 1)
        if item.kind.isFolder { try keepApart(item.id) }
        if reporting {
            outcome.appeared.insert(item.id)
            try report(sql.lastInsertedRow)
        }
        return true
    }

    /// - Parameter generation: of the listing of its folder: another folder's, where it was before, may be a later one by number.
    func update(_ metadata: Metadata, kind: ItemKind, ofRow row: Int64, generation: Int64) throws {
        try sql.run(
            """
            UPDATE item SET kind = ?, type = ?, size = ?, modified = ?, modified_ns = ?, created = ?, created_ns = ?,
                content = ?, metadata = ?, capabilities = ?, conflict_versions = ?, generation = ?, gone = 0
            WHERE row = ?
            """, .int(ItemRow.number(of: kind)), .text(metadata.type), SQLValue(metadata.size),
            .int(metadata.modified.seconds), .int(Int64(metadata.modified.nanoseconds)), .int(metadata.created.seconds),
            .int(Int64(metadata.created.nanoseconds)), .blob(metadata.content), .blob(metadata.metadata),
            .int(Int64(metadata.capabilities)), .int(metadata.conflictVersions), .int(generation), .int(row))
    }

    func existing(_ id: ItemIdentifier) throws -> Existing? {
        try sql.first(
            Self.existingColumns + " WHERE domain = ? AND id = ?", .int(domain.number), .text(id.rawValue),
            reading: Self.read)
    }

    func existing(row: Int64) throws -> (id: ItemIdentifier, existing: Existing)? {
        guard let existing = try sql.first(Self.existingColumns + " WHERE row = ?", .int(row), reading: Self.read),
            let id = try sql.first("SELECT id FROM item WHERE row = ?", .int(row), reading: { $0.text(0) })
        else { return nil }
        return (try ItemIdentifier(id), existing)
    }

    private static let existingColumns = """
        SELECT row, parent, name, name_key, kind, state, synced_content, generation, wanted_parent, wanted_name, gone,
            type, size, modified, modified_ns, created, created_ns, content, metadata, capabilities,
            conflict_versions
        FROM item
        """

    private static func read(_ row: SQLStatement) throws -> Existing {
        let metadata = Metadata(row, from: 11)
        return Existing(
            row: row.int(0), parent: row.optionalInt(1), name: row.text(2), key: row.text(3),
            kind: try ItemRow.kind(row.int(4)), state: row.int(5), content: metadata.content,
            synced: row.isNull(6) ? nil : row.blob(6), generation: row.int(7), wantedParent: row.optionalInt(8),
            wantedName: row.optionalText(9), isGone: row.int(10) != 0, metadata: metadata)
    }

    mutating func count(_ kind: ItemKind, _ change: Int64) throws {
        if kind == .folder { folders += change } else { documents += change }
    }
}
