package import DocumentModel

/// Who wants something removed.
package enum RemovalSide: Int64, Hashable, Sendable, CaseIterable {
    /// The provider says that it is gone: it is to go from here.
    case told = 0
    /// Somebody here asked for it: it is to go at the provider.
    case asked = 1
}

/// What is to be removed, and is not yet (CONT-13).
package struct HeldRemoval: Hashable, Sendable {
    package var item: IndexedItem
    package var isRecursive: Bool
    package var discardsEdits: Bool
}

/// `CROSS JOIN`: few removals are held, if any, and SQLite would look at every item of a domain for them.
extension IndexReader {
    /// The oldest known first.
    package func heldRemovals(of side: RemovalSide, in domain: DomainName) throws -> [HeldRemoval] {
        let own = try reference(to: domain)
        let rows = try sql.all(
            """
            SELECT held_removal.row, recursive, discards_edits FROM held_removal CROSS JOIN item ON item.row = held_removal.row
            WHERE side = ? AND item.domain = ? ORDER BY held_removal.row
            """, .int(side.rawValue), .int(own.number)
        ) { ($0.int(0), $0.int(1) != 0, $0.int(2) != 0) }
        return try rows.compactMap { row, isRecursive, discardsEdits in
            try item(row: row, in: domain).map {
                HeldRemoval(item: $0, isRecursive: isRecursive, discardsEdits: discardsEdits)
            }
        }
    }

    /// What a removal covers that somebody here has asked for: with itself all that was shown below it by then, each in the
    /// version that was known. What came into a folder since, and what is below one that is not shown because of its name,
    /// nobody has asked to have removed.
    package func covered(byHeld id: ItemIdentifier, in domain: DomainName) throws -> CoveredItems {
        let own = try reference(to: domain)
        guard let row = try row(of: id, own) else { return CoveredItems([:]) }
        let rows = try sql.all(
            "SELECT row, content FROM held_content WHERE held = ?", .int(row)
        ) { ($0.int(0), CoveredItems.Version.known($0.blob(1))) }
        return CoveredItems(Dictionary(rows) { first, _ in first })
    }

    /// How many items would go, with all that is known below them, and how many of them have contents here.
    package func countHeld(of side: RemovalSide, in domain: DomainName) throws -> (items: Int, here: Int) {
        let own = try reference(to: domain)
        return try sql.first(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT held_removal.row FROM held_removal CROSS JOIN item ON item.row = held_removal.row
                WHERE side = ? AND item.domain = ?
                UNION SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT count(*), count(local_inode) FROM sub JOIN item ON item.row = sub.row
            """, .int(side.rawValue), .int(own.number)
        ) { (Int($0.int(0)), Int($0.int(1))) } ?? (0, 0)
    }

    /// An item, with all that is known below it.
    package func countSubtree(of id: ItemIdentifier, in domain: DomainName) throws -> Int {
        let own = try reference(to: domain)
        return try row(of: id, own).map { try countSubtree(row: $0) } ?? 0
    }

    func countSubtree(row: Int64) throws -> Int {
        try sql.first(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT ? UNION SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT count(*) FROM sub
            """, .int(row)
        ) { Int($0.int(0)) } ?? 0
    }

    package func removalWatch(of side: RemovalSide, in domain: DomainName) throws -> RemovalWatchRecord {
        let own = try reference(to: domain)
        return try sql.first(
            "SELECT asked, recent FROM removal_watch WHERE domain = ? AND side = ?", .int(own.number),
            .int(side.rawValue)
        ) { RemovalWatchRecord(asked: $0.optionalInt(0), text: $0.text(1)) } ?? RemovalWatchRecord()
    }

    /// What the user has chosen for a domain; nil when nothing.
    package func rule(_ name: String, of domain: DomainName) throws -> Int64? {
        let own = try reference(to: domain)
        return try sql.first(
            "SELECT value FROM domain_rule WHERE domain = ? AND name = ?", .int(own.number), .text(name)
        ) { $0.int(0) }
    }

    func hasHeldRemovals(of side: RemovalSide, _ domain: DomainReference) throws -> Bool {
        try sql.first(
            """
            SELECT 1 FROM held_removal CROSS JOIN item ON item.row = held_removal.row
            WHERE side = ? AND item.domain = ? LIMIT 1
            """, .int(side.rawValue), .int(domain.number)
        ) { _ in true } ?? false
    }
}

extension IndexTransaction {
    /// Nil: as if the user had chosen nothing.
    package func setRule(_ name: String, _ value: Int64?, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("DELETE FROM domain_rule WHERE domain = ? AND name = ?", .int(own.number), .text(name))
        guard let value else { return }
        try sql.run("INSERT INTO domain_rule VALUES (?, ?, ?)", .int(own.number), .text(name), .int(value))
    }

    package func setRemovalWatch(
        _ record: RemovalWatchRecord, of side: RemovalSide, in domain: DomainName
    ) throws {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT INTO removal_watch VALUES (?, ?, ?, ?)
            ON CONFLICT (domain, side) DO UPDATE SET asked = excluded.asked, recent = excluded.recent
            """, .int(own.number), .int(side.rawValue), SQLValue(record.asked), .text(record.text))
    }

    package func hold(
        _ id: ItemIdentifier, in domain: DomainName, recursive: Bool, discardingEdits: Bool
    ) throws {
        let row = try knownRow(of: id, try reference(to: domain))
        try sql.run(
            "INSERT OR REPLACE INTO held_removal VALUES (?, ?, ?, ?)", .int(row), .int(RemovalSide.asked.rawValue),
            .int(recursive ? 1 : 0), .int(discardingEdits ? 1 : 0))
    }

    /// Writes down what a removal that waits for a yes covers: what is shown now.
    package func cover(held id: ItemIdentifier, in domain: DomainName) throws {
        let row = try knownRow(of: id, try reference(to: domain))
        try sql.run("DELETE FROM held_content WHERE held = ?", .int(row))
        try sql.run(
            """
            INSERT INTO held_content
                WITH RECURSIVE sub (row) AS (
                    SELECT ?1 UNION SELECT item.row FROM sub JOIN item AS around ON around.row = sub.row
                        JOIN item ON item.parent = sub.row WHERE around.state <> ?2
                )
                SELECT ?1, sub.row, item.content FROM sub JOIN item ON item.row = sub.row
            """, .int(row), .int(ItemRow.number(of: .nameClash)))
    }

    /// - Parameter id: nil for all of them.
    package func releaseHeldRemovals(
        of side: RemovalSide, in domain: DomainName, only id: ItemIdentifier? = nil
    ) throws {
        let own = try reference(to: domain)
        if side == .asked {
            try sql.run(
                """
                DELETE FROM held_content WHERE held IN
                    (SELECT row FROM item WHERE domain = ?1 AND (?2 IS NULL OR id = ?2))
                """, .int(own.number), SQLValue(id?.rawValue))
        }
        try sql.run(
            """
            DELETE FROM held_removal WHERE side = ? AND EXISTS
                (SELECT 1 FROM item WHERE item.row = held_removal.row AND domain = ? AND (?3 IS NULL OR id = ?3))
            """, .int(side.rawValue), .int(own.number), SQLValue(id?.rawValue))
    }

    /// Carries out what the provider told and nobody objects to.
    ///
    /// - Parameter keepingContents: what has contents here stays, as something that was changed here and outlives its
    ///   deletion (VER-15); only the rest goes.
    func carryOutHeldRemovals(in domain: DomainName, keepingContents: Bool) throws -> ApplyOutcome {
        let own = try reference(to: domain)
        let held = try heldRemovals(of: .told, in: domain)
        var applier = ItemApplier(self, own, reporting: true)
        if keepingContents {
            for removal in held { try applier.keepContents(below: removal.item.row) }
        }
        try releaseHeldRemovals(of: .told, in: domain)
        for removal in held { try applier.delete(row: removal.item.row) }
        try applier.settle()
        return applier.outcome
    }
}

extension ItemApplier {
    /// What is gone goes at once, or waits for a decision. What was kept because of its edits has been decided on.
    mutating func deleteOrHold(row: Int64) throws {
        guard isHolding, let (id, existing) = try existing(row: row), !existing.isGone else {
            return try delete(row: row)
        }
        // What its provider does not know yet may be known to it before that is decided.
        if id.isArriving { return }
        try sql.run("INSERT OR IGNORE INTO held_removal VALUES (?, 0, 1, 0)", .int(row))
        outcome.held += Int(sql.changesCount)
        hasHeld = true
    }

    /// The provider tells of it: it is not gone, after all.
    mutating func releaseHeld(_ row: Int64) throws {
        let isAny = try hasHeld ?? transaction.hasHeldRemovals(of: .told, domain)
        hasHeld = isAny
        if isAny { try sql.run("DELETE FROM held_removal WHERE row = ? AND side = 0", .int(row)) }
    }

    /// Makes changed documents of those with contents here, and deletes the rest, from the inside out.
    mutating func keepContents(below row: Int64) throws {
        let changed = ItemRow.number(of: .changed)
        let settled = [ItemState.materialised, .outdated].map { ItemRow.number(of: $0) }
        let rows = try sql.all(
            """
            WITH RECURSIVE sub (row, depth) AS (
                SELECT ?, 0 UNION ALL SELECT item.row, depth + 1 FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT item.row, kind, local_inode IS NOT NULL, state FROM sub JOIN item ON item.row = sub.row
            ORDER BY depth DESC, item.row
            """, .int(row)
        ) { (row: $0.int(0), kind: try ItemRow.kind($0.int(1)), isHere: $0.int(2) != 0, state: $0.int(3)) }
        for item in rows {
            if item.isHere {
                guard settled.contains(item.state) else { continue }
                try sql.run("UPDATE item SET state = ? WHERE row = ?", .int(changed), .int(item.row))
            } else if item.kind == .document {
                // One that is on its way here is cleared like the others. One that is being written anew waits for that: then it
                // has contents, and stays, or has none, and goes.
                try delete(row: item.row)
            } else if item.row != row, try !hasChildren(item.row) {
                try delete(row: item.row)
            }
        }
    }

    private func hasChildren(_ row: Int64) throws -> Bool {
        try sql.first("SELECT 1 FROM item WHERE parent = ? LIMIT 1", .int(row)) { _ in true } ?? false
    }
}
