internal import DocumentModel

/// Moves that the tree on disk could not follow: what the index says of them is taken back.
extension ItemApplier {
    /// Puts a row back to where its file still is; it goes on wanting the place that it cannot have.
    ///
    /// - Returns: false when its place is another's for good. What was changed until then is to be rolled back.
    mutating func revertMove(of id: ItemIdentifier, to place: [ItemName]) throws -> Bool {
        guard let existing = try existing(id), let parent = existing.parent, let name = place.last else { return false }
        var folder = domain.root
        for component in place.dropLast() {
            guard
                let next = try sql.first(
                    "SELECT row FROM item WHERE parent = ? AND name_key = ? AND name = ? AND state <> 7", .int(folder),
                    .text(FoldedName(component).text), .text(component.rawValue), reading: { $0.int(0) })
            else { return false }
            folder = next
        }
        let key = FoldedName(name).text
        if let holder = try holder(of: key, in: folder), holder != existing.row {
            guard try stepBack(holder) else { return false }
        }
        let wanted = WaitingMove(
            row: existing.row, id: id, parent: parent, name: try ItemName(existing.name), key: existing.key)
        try sql.run(
            "UPDATE item SET parent = ?, name = ?, name_key = ? WHERE row = ?", .int(folder), .text(name.rawValue),
            .text(key), .int(existing.row))
        // Perhaps it has been told of another place since, and waits for that.
        if existing.wantedName == nil { try setWanted(wanted, ofRow: existing.row) }
        return true
    }

    /// Whether nothing was recorded later under the name that a move gave: it could not be found any more.
    func canTakeBack(_ entry: JournalEntry) throws -> Bool {
        guard entry.payload.kind != .document, let destination = entry.payload.destination else { return true }
        // A folder around it may have got another name since: what was recorded after that has it by that name.
        var name = destination
        for later in try transaction.openTreeWork(in: domain.name) where later.id > entry.id {
            let (place, target) = (later.payload.place, later.payload.destination)
            if later.itemID != entry.itemID, [place, target].contains(where: { $0?.starts(with: name) == true }) {
                return false
            }
            if let place, let target, name.starts(with: place) { name = target + name.dropFirst(place.count) }
        }
        return true
    }

    /// What has come to a place whose file has not left it goes back to where its own file is, or is hidden where nothing of it
    /// is here.
    ///
    /// - Returns: false when it has to stay.
    private mutating func stepBack(_ row: Int64) throws -> Bool {
        guard let (id, before) = try existing(row: row), let parent = before.parent else { return false }
        let moves = try transaction.journal(of: id, in: domain.name).filter { $0.step == .renameRecorded }
        for entry in moves.reversed() {
            guard try canTakeBack(entry), let place = entry.payload.place, try revertMove(of: id, to: place),
                let now = try existing(row: row)?.existing
            else { return false }
            try transaction.finish(entry)
            let isAside = now.name.hasPrefix(Self.asidePrefix)
            if !isAside, now.parent != parent || !now.key.hasSameBytes(as: before.key) { return true }
        }
        guard moves.isEmpty, before.kind == .document, before.state == 0 else { return false }
        try sql.run("UPDATE item SET state = 7 WHERE row = ?", .int(row))
        outcome.clashes.append(id)
        return true
    }
}
