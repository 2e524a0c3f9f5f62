package import DocumentModel

/// What is begun, and what is in conflict.
extension IndexReader {
    /// The open entries, the oldest first.
    package func journal() throws -> [JournalEntry] {
        try sql.all(Self.journalColumns + " ORDER BY journal.number") { try Self.entry($0) }
    }

    /// An item of a domain that was given another name or place, or was removed, of which its provider has not said yet that it
    /// is so there: it is nowhere else.
    package func unansweredArrangement(in domain: DomainName) throws -> ItemIdentifier? {
        let entry = try sql.first(
            Self.journalColumns
                + " WHERE journal.domain = ? AND step IN ('renameBegan', 'removeBegan', 'documentRelocated')"
                // One whose item is not known any more hides no other.
                + " AND EXISTS (SELECT 1 FROM item AS known WHERE known.domain = journal.domain AND known.id = journal.item)",
            .int(reference(to: domain).number)
        ) { try Self.entry($0) }
        return try entry?.itemID ?? heldRemovals(of: .asked, in: domain).first?.item.id
    }

    package func journal(of id: ItemIdentifier, in domain: DomainName) throws -> [JournalEntry] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.journalColumns + " WHERE journal.domain = ? AND item = ? ORDER BY journal.number",
            .int(own.number), .text(id.rawValue)
        ) { try Self.entry($0) }
    }

    /// The item of an entry that is still open: it may have another identifier since.
    func subject(of entry: JournalEntry) throws -> ItemIdentifier? {
        try sql.first("SELECT item FROM journal WHERE number = ? AND item IS NOT NULL", .int(entry.id)) {
            try ItemIdentifier($0.text(0))
        }
    }

    /// Whether an item's sending is written down.
    func isBeingSent(_ item: IndexedItem) throws -> Bool {
        try journal(of: item.id, in: item.domain).contains { $0.action == .send }
    }

    /// Whether contents of an item, or of something in it, were not sent, or are just being written.
    package func holdsUnsent(_ id: ItemIdentifier, in domain: DomainName) throws -> Bool {
        try present(within: id, in: domain).contains { try $0.isUnsent || isChangeExpected(of: $0.id, in: domain) }
    }

    /// Whether somebody may be writing to an item.
    func isChangeExpected(of id: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        return try sql.first(
            "SELECT 1 FROM journal WHERE domain = ? AND item = ? AND step = 'changeExpected' LIMIT 1",
            .int(own.number), .text(id.rawValue)
        ) { _ in true } ?? false
    }

    /// Documents that somebody may be writing to, and packages that somebody may be writing in.
    func writtenItems(in domain: DomainName) throws -> Set<ItemIdentifier> {
        let written = try sql.all(
            "SELECT item FROM journal WHERE domain = ? AND step IN ('changeExpected', 'editsExpected') AND item IS NOT NULL",
            .int(reference(to: domain).number)
        ) { try ItemIdentifier($0.text(0)) }
        return Set(written)
    }

    /// Writes at or below an item, of new contents where none are, whose end is not recorded.
    func openReplacements(within item: IndexedItem) throws -> [JournalEntry] {
        try sql.all(
            Self.journalColumns
                + " WHERE journal.domain = ? AND step = 'changeExpected' ORDER BY journal.number",
            .int(reference(to: item.domain).number)
        ) { try Self.entry($0) }.filter { entry in
            guard entry.payload.replacesContents, let id = entry.itemID,
                let written = try self.item(id, in: item.domain), written.local == nil
            else { return false }
            return try id == item.id || folders(around: written).contains { $0.id == item.id }
        }
    }

    /// Whether the remote has removed an item that is gone: nobody here who does not want what was written to it.
    func isRemovedByOthers(_ item: IndexedItem) throws -> Bool {
        let entries = try journal(of: item.id, in: item.domain).filter { [.remove, .drop].contains($0.action) }
        return !entries.isEmpty
            && entries.allSatisfy { entry in
                entry.action == .remove && !entry.payload.discardsEdits && !entry.payload.skipsTrash
            }
    }

    /// Recorded renames and removals that the tree on disk has not followed yet, the oldest first.
    func openTreeWork(in domain: DomainName) throws -> [JournalEntry] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.journalColumns
                + " WHERE journal.domain = ? AND step IN ('renameRecorded', 'removeRecorded') ORDER BY journal.number",
            .int(own.number)
        ) { try Self.entry($0) }
    }

    /// The renames among them.
    func openMoves(in domain: DomainName) throws -> [JournalEntry] {
        let own = try reference(to: domain)
        return try sql.all(
            Self.journalColumns
                + " WHERE journal.domain = ? AND step = 'renameRecorded' ORDER BY journal.number", .int(own.number)
        ) { try Self.entry($0) }
    }

    package func conflicts(in domain: DomainName) throws -> [ConflictRecord] {
        let own = try reference(to: domain)
        return try sql.all(
            """
            SELECT number, item, remote_content, remote_metadata, base_content, base_metadata, kept, reason, device,
                name
            FROM conflict WHERE domain = ? ORDER BY number
            """, .int(own.number), reading: Self.conflict)
    }

    private static func conflict(_ row: SQLStatement) throws -> ConflictRecord {
        ConflictRecord(
            number: row.int(0),
            itemID: try ItemIdentifier(row.text(1)),
            remote: try ItemVersion(content: row.blob(2), metadata: row.blob(3)),
            base: row.isNull(4) ? nil : try ItemVersion(content: row.blob(4), metadata: row.blob(5)),
            kept: row.text(6),
            reason: row.text(7),
            device: row.text(8),
            name: row.text(9)
        )
    }

    static let journalColumns = """
        SELECT journal.number, action, step, domain.name, item, payload
        FROM journal JOIN domain ON domain.number = journal.domain
        """

    static func entry(_ row: SQLStatement) throws -> JournalEntry {
        guard let action = JournalAction(rawValue: row.text(1)), let step = JournalStep(rawValue: row.text(2)) else {
            throw DocumentError(
                .localStorage,
                "The index holds a journal entry of the kind “\(row.text(1)), \(row.text(2))”: a newer Docent wrote it; update this one."
            )
        }
        return JournalEntry(
            id: row.int(0), action: action, step: step, domain: try DomainName(row.text(3)),
            itemID: try row.optionalText(4).map { try ItemIdentifier($0) },
            payload: try JournalPayload(bytes: row.blob(5))
        )
    }
}
