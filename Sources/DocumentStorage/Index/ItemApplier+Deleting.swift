internal import DocumentModel

/// What the provider does not have any more.
extension ItemApplier {
    mutating func delete(_ ids: [ItemIdentifier]) throws {
        for id in ids {
            guard let row = try transaction.row(of: id, domain) else { continue }
            guard row != domain.root else {
                reject(id, "is the top folder, which cannot go away")
                continue
            }
            try deleteOrHold(row: row)
        }
        try settle()
    }

    /// Deletes a row and all below it; where contents are here, those have to be cleared first, and the row is
    /// `gone` until then. So it is where contents may come, as somebody writes them anew: what has become of that is known when
    /// it has ended, and nobody could say whose it is if the row were forgotten until then.
    mutating func delete(row: Int64) throws {
        guard let (id, existing) = try existing(row: row) else { return }
        // The provider does not know it yet, and so cannot say that it is gone.
        if id.isArriving, !removesArriving { return }
        if existing.kind != .document {
            try takeOutRelocated(of: row)
            try takeOutWaiting(of: row)
        }
        var hasContents: Bool
        if existing.kind == .document {
            hasContents = existing.state != 0 && existing.state != Self.clash
            if existing.state == 0 { hasContents = try written().contains(id) }
        } else {
            hasContents =
                try sql.first(
                    Self.subtree
                        + "SELECT 1 FROM item JOIN sub ON sub.row = item.row WHERE state NOT IN (0, 7) LIMIT 1",
                    .int(row)
                ) { _ in true } ?? false
            if !hasContents { hasContents = try isBeingWritten(within: row) }
        }
        if existing.isGone, hasContents, try isBeingCleared(id) { return }
        if let place = try shownPlace(of: row) {
            var payload = JournalPayload()
            payload.place = place
            payload.kind = existing.kind
            outcome.work.append(try transaction.begin(.removeRecorded, item: id, in: domain.name, payload: payload))
        }
        if hasContents {
            try sql.run("UPDATE item SET gone = 1 WHERE row = ?", .int(row))
        } else {
            try deleteRows(row, existing)
        }
    }

    /// Whether the tree is still to follow that an item is gone. What else is open of one that was kept is in nobody's way.
    private func isBeingCleared(_ id: ItemIdentifier) throws -> Bool {
        try transaction.journal(of: id, in: domain.name).contains { $0.step.isForTree && $0.step.action == .remove }
    }

    /// Whether somebody writes to a document, or in a package, at or below a row.
    private mutating func isBeingWritten(within row: Int64) throws -> Bool {
        for id in try written() {
            if let item = try existing(id), try isWithin(item.row, row) { return true }
        }
        return false
    }

    mutating func deleteCleared(_ id: ItemIdentifier) throws {
        guard let existing = try existing(id), existing.row != domain.root else { return }
        try deleteRows(existing.row, existing)
        try settle()
    }

    private mutating func deleteRows(_ row: Int64, _ existing: Existing) throws {
        if existing.kind == .document {
            try sql.run("DELETE FROM item WHERE row = ?", .int(row))
            try count(.document, -1)
            outcome.deleted += 1
        } else {
            var inside: (all: Int64, folders: Int64) = (0, 0)
            _ = try sql.first(
                Self.subtree + "SELECT count(*), sum(kind = 1) FROM item JOIN sub ON sub.row = item.row", .int(row)
            ) { inside = ($0.int(0), $0.int(1)) }
            // One statement, so that the rows' references to each other are checked when all are gone.
            try sql.run(Self.subtree + "DELETE FROM item WHERE row IN (SELECT row FROM sub)", .int(row))
            folders -= inside.folders
            documents -= inside.all - inside.folders
            outcome.deleted += Int(inside.all)
        }
        if let parent = existing.parent, existing.state != Self.clash { try release(existing.key, in: parent) }
    }

    private static var subtree: String {
        """
        WITH RECURSIVE sub (row) AS (
            SELECT ? UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
        )

        """
    }
}
