package import DocumentModel

/// What of a domain is kept here and not sent (CONT-13).
extension IndexReader {
    package func ignoreRules(of domain: DomainName) throws -> IgnoreRules {
        let own = try reference(to: domain)
        let patterns = try sql.all(
            "SELECT pattern FROM ignore_pattern WHERE domain = ? ORDER BY position", .int(own.number)
        ) { try IgnorePattern($0.text(0)) }
        return IgnoreRules(
            patterns: patterns, usesDefaults: try rule(IgnoreRules.defaultsRule, of: domain).map { $0 != 0 } ?? true)
    }

    /// The rule that keeps something here that was made here; nil when it is to be sent.
    ///
    /// A folder that holds something of the remote's is sent whatever it is called: that is on its way there.
    func ignoringRule(of item: IndexedItem) throws -> IgnorePattern? {
        let isFolder = item.item.kind != .document
        guard let decision = try ignoreRules(of: item.domain).decision(on: try names(of: item), isFolder: isFolder),
            decision.isIgnored
        else { return nil }
        return try isFolder && holdsKnownItems(item) ? nil : decision.rule
    }

    /// From the top folder on, also of one that is not shown because of its name.
    private func names(of item: IndexedItem) throws -> [ItemName] {
        var names: [ItemName] = []
        var next: IndexedItem? = item
        while let current = next, let name = current.item.name, names.count < Self.maximumDepth {
            names.append(name)
            next = try current.item.parentID.flatMap { try self.item($0, in: item.domain) }
        }
        return names.reversed()
    }

    private func holdsKnownItems(_ folder: IndexedItem) throws -> Bool {
        let range = ItemIdentifier.arrivingRange
        return try sql.first(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT ? UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT 1 FROM item JOIN sub ON sub.row = item.row WHERE NOT (item.id >= ? AND item.id < ?) LIMIT 1
            """, .int(folder.row), .text(range.from), .text(range.to)
        ) { _ in true } ?? false
    }
}

extension IndexTransaction {
    package func setIgnoreRules(_ rules: IgnoreRules, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("DELETE FROM ignore_pattern WHERE domain = ?", .int(own.number))
        for (position, pattern) in rules.patterns.enumerated() {
            try sql.run(
                "INSERT INTO ignore_pattern VALUES (?, ?, ?)", .int(own.number), .int(Int64(position)),
                .text(pattern.text))
        }
        try setRule(IgnoreRules.defaultsRule, rules.usesDefaults ? nil : 0, of: domain)
    }
}

extension IgnoreRules {
    // Stored, so never changed.
    fileprivate static var defaultsRule: String { "ignore-defaults" }
}
