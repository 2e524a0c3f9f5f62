package import DocumentModel

extension IndexReader {
    /// - Parameter keys: these; nil: all.
    package func keyValues(of identifier: ContainerIdentifier, _ keys: Set<String>? = nil) throws -> [String: [UInt8]] {
        let all = try sql.all(
            "SELECT key, value FROM key_value WHERE identifier = ?", .text(identifier.rawValue)
        ) { ($0.text(0), $0.blob(1)) }
        return Dictionary(all.filter { keys?.contains($0.0) ?? true }) { first, _ in first }
    }
}

extension IndexTransaction {
    /// - Returns: whether anything is another than before.
    /// - Throws: `insufficientQuota` when there would be too much; the transaction is to be given up then.
    package func change(_ change: KeyValueChange, of identifier: ContainerIdentifier) throws -> Bool {
        let before = try keyValues(of: identifier)
        var after = before
        for key in change.removed { after[key] = nil }
        after.merge(change.values) { _, new in new }
        guard after != before else { return false }
        try KeyValueLimits.check(keys: after.count, bytes: after.values.reduce(0) { $0 + $1.count })
        for key in before.keys where after[key] == nil {
            try sql.run(
                "DELETE FROM key_value WHERE identifier = ? AND key = ?", .text(identifier.rawValue), .text(key))
        }
        for (key, value) in after where before[key] != value {
            try sql.run(
                """
                INSERT INTO key_value (identifier, key, value) VALUES (?, ?, ?)
                ON CONFLICT (identifier, key) DO UPDATE SET value = excluded.value
                """, .text(identifier.rawValue), .text(key), .blob(value))
        }
        return true
    }
}
