package import DocumentModel

/// What is begun, and what is in conflict.
extension IndexTransaction {
    /// Writes an action down, with the step that is true once this transaction is committed.
    package func begin(
        _ step: JournalStep, item: ItemIdentifier?, in domain: DomainName, payload: JournalPayload
    ) throws -> JournalEntry {
        let own = try reference(to: domain)
        try sql.run(
            "INSERT INTO journal (action, step, domain, item, payload) VALUES (?, ?, ?, ?, ?)",
            .text(step.action.rawValue), .text(step.rawValue), .int(own.number), SQLValue(item?.rawValue),
            .blob(payload.bytes))
        return JournalEntry(
            id: sql.lastInsertedRow, action: step.action, step: step, domain: domain, itemID: item, payload: payload)
    }

    package func advance(_ entry: JournalEntry, to step: JournalStep) throws -> JournalEntry {
        var entry = entry
        entry.step = step
        try sql.run(
            "UPDATE journal SET step = ?, item = ?, payload = ? WHERE number = ?", .text(step.rawValue),
            SQLValue(entry.itemID?.rawValue), .blob(entry.payload.bytes), .int(entry.id))
        guard sql.changesCount == 1 else {
            throw DocumentError(.internal, "The journal entry \(entry.id) is closed already.")
        }
        return entry
    }

    package func finish(_ entry: JournalEntry) throws {
        try sql.run("DELETE FROM journal WHERE number = ?", .int(entry.id))
    }

    /// - Returns: the conflict's number.
    @discardableResult
    package func addConflict(_ conflict: ConflictRecord, in domain: DomainName) throws -> Int64 {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT INTO conflict
                (domain, item, remote_content, remote_metadata, base_content, base_metadata, kept, reason, device,
                name)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(conflict.itemID.rawValue), .blob(conflict.remote.content),
            .blob(conflict.remote.metadata), SQLValue(conflict.base?.content), SQLValue(conflict.base?.metadata),
            .text(conflict.kept), .text(conflict.reason), .text(conflict.device), .text(conflict.name))
        return sql.lastInsertedRow
    }

    package func removeConflict(number: Int64) throws {
        try sql.run("DELETE FROM conflict WHERE number = ?", .int(number))
    }
}
