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
    /// A folder that holds something of the remote's is sent whatever it is called: that is on its way there. So is what has the
    /// place of something of the remote's, which editors rename or remove before they make it anew, and what hides something of
    /// the remote's. A package is one document: what is about its parts is no rule.
    func ignoringRule(of item: IndexedItem) throws -> IgnorePattern? {
        let around = try lineage(of: item)
        let subject = around.last { $0.item.kind == .package } ?? item
        guard subject.isArriving else { return nil }
        let isFolder = subject.item.kind != .document
        let names = around.drop { $0.row != subject.row }.compactMap(\.item.name).reversed()
        let place = Location(domain: item.domain, components: Array(names))
        guard let rule = try ignoringRule(at: place, isFolder: isFolder), try !hasPlaceOfRemote(subject) else {
            return nil
        }
        return try isFolder && holdsKnownItems(subject) ? nil : rule
    }

    /// The rule that would keep something new at a place here; nil when it would be sent.
    package func ignoringRule(at place: Location, isFolder: Bool) throws -> IgnorePattern? {
        guard let decision = try ignoreRules(of: place.domain).decision(on: place.components, isFolder: isFolder),
            decision.isIgnored
        else { return nil }
        return decision.rule
    }

    /// The item and the folders around it, without the top one, outwards; also of one that is not shown because of its name.
    private func lineage(of item: IndexedItem) throws -> [IndexedItem] {
        var lineage: [IndexedItem] = []
        var next: IndexedItem? = item
        while let current = next, current.item.name != nil, lineage.count < Self.maximumDepth {
            lineage.append(current)
            next = try current.item.parentID.flatMap { try self.item($0, in: item.domain) }
        }
        return lineage
    }

    private func hasPlaceOfRemote(_ item: IndexedItem) throws -> Bool {
        try sql.first(
            """
            SELECT 1 FROM item AS own WHERE own.row = ? AND (
                EXISTS (SELECT 1 FROM left_place WHERE parent = own.parent AND name_key = own.name_key)
                OR EXISTS (SELECT 1 FROM item WHERE parent = own.parent AND name_key = own.name_key AND state = 7))
            """, .int(item.row)
        ) { _ in true } ?? false
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
    /// So many places are remembered.
    private static let mostLeftPlaces: Int64 = 4096

    /// Something that the remote has leaves its place here: what is made there anew stands for it.
    func noteLeaving(_ place: Location, of item: IndexedItem) throws {
        guard !item.isArriving, try ignoringRule(at: place, isFolder: item.item.kind != .document) != nil else {
            return
        }
        try sql.run(
            "INSERT INTO left_place (parent, name_key) SELECT parent, name_key FROM item WHERE row = ?", .int(item.row))
        try sql.run("DELETE FROM left_place WHERE number <= ?", .int(sql.lastInsertedRow - Self.mostLeftPlaces))
    }

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
