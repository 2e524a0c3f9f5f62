package import DocumentModel

/// What people have said about items: it holds for everything below them, too, until something nearer says otherwise.
extension IndexReader {
    /// Whether anything was said about any item of a domain: as a rule nothing was, and nothing needs to be looked up.
    package func hasMarks(in domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        return try sql.first(
            "SELECT 1 FROM item WHERE domain = ? AND (pinned <> 0 OR paused <> 0) LIMIT 1", .int(own.number)
        ) { _ in true } ?? false
    }

    /// Whether it was said of any item of any domain that it is kept so.
    package func isAnythingKept(_ keeping: Keeping) throws -> Bool {
        // Both conditions: so few rows have their own place in the index that tells of those.
        try sql.first(
            "SELECT 1 FROM item WHERE (pinned <> 0 OR paused <> 0) AND pinned = ? LIMIT 1",
            .int(ItemRow.number(of: keeping))
        ) { _ in true } ?? false
    }

    package func marks(of item: IndexedItem) throws -> ItemMarks {
        var marks = try spoken(of: item)
        // Nothing is hidden that the remote has.
        if item.isArriving, let rule = try ignoringRule(of: item) {
            marks.ignoredBy = rule
            marks.keeping = .excluded
        }
        return marks
    }

    private func spoken(of item: IndexedItem) throws -> ItemMarks {
        guard try hasMarks(in: item.domain) else { return ItemMarks() }
        let said = try sql.all(
            """
            WITH RECURSIVE up (row, parent, depth, pinned, paused) AS (
                SELECT row, parent, 0, pinned, paused FROM item WHERE row = ?
                UNION ALL
                SELECT item.row, item.parent, depth + 1, item.pinned, item.paused FROM item JOIN up ON item.row = up.parent
            )
            SELECT pinned, paused FROM up ORDER BY depth
            """, .int(item.row)
        ) { (keeping: ItemRow.keeping($0.int(0)), isPaused: $0.int(1) != 0) }
        return ItemMarks(
            own: said.first?.keeping, keeping: said.lazy.compactMap(\.keeping).first ?? .automatic,
            isPausedItself: said.first?.isPaused ?? false, isPaused: said.contains(where: \.isPaused))
    }

    /// Whether a folder around an item is paused, or its domain.
    package func isPausedAround(_ item: IndexedItem) throws -> Bool {
        guard let parent = item.item.parentID, let folder = try self.item(parent, in: item.domain) else { return false }
        return try marks(of: folder).isPaused
    }

    /// Whether an item has contents that are outdated, and are to be here no longer than they are current. What is paused keeps
    /// them: newer ones could not come.
    package func isToLeaveOutdated(_ item: IndexedItem) throws -> Bool {
        guard item.state == .outdated, item.local != nil, !item.isGone else { return false }
        let marks = try marks(of: item)
        return marks.keeping == .whileCurrent && !marks.isPaused
    }

    /// The items of a domain that something was said about.
    package func markedItems(in domain: DomainName) throws -> [(item: IndexedItem, marks: ItemMarks)] {
        let own = try reference(to: domain)
        let items = try sql.all(
            ItemRow.columns + " WHERE item.domain = ? AND (item.pinned <> 0 OR item.paused <> 0) ORDER BY item.row",
            .int(own.number)
        ) { try ItemRow.read($0, domain: domain) }
        return try items.map { ($0, try marks(of: $0)) }
    }
}

extension IndexTransaction {
    /// Says what becomes of an item's contents; nil: as the folder around it.
    package func setKeeping(_ keeping: Keeping?, of id: ItemIdentifier, in domain: DomainName) throws {
        try mark("pinned", ItemRow.number(of: keeping), id, domain)
    }

    package func setPaused(_ isPaused: Bool, of id: ItemIdentifier, in domain: DomainName) throws {
        try mark("paused", isPaused ? 1 : 0, id, domain)
    }

    private func mark(_ column: String, _ value: Int64, _ id: ItemIdentifier, _ domain: DomainName) throws {
        let row = try knownRow(of: id, try reference(to: domain))
        try sql.run("UPDATE item SET \(column) = ? WHERE row = ?", .int(value), .int(row))
    }
}

extension ItemRow {
    // Stored, so never changed.
    fileprivate static func number(of keeping: Keeping?) -> Int64 {
        switch keeping {
        case nil: 0
        case .pinned: 1
        case .onlineOnly: 2
        case .excluded: 3
        case .automatic: 4
        case .whileCurrent: 5
        }
    }

    fileprivate static func keeping(_ number: Int64) -> Keeping? {
        Keeping.allCases.first { self.number(of: $0) == number }
    }
}
