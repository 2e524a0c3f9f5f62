internal import DocumentModel

/// Moves that the tree on disk could not follow: what the index says of them is taken back.
extension ItemApplier {
    /// Puts a row back to where its file still is, before a move; it goes on wanting the place that it cannot have.
    ///
    /// - Returns: false when its place is another's for good, or goes away. What was changed until then is to be rolled back.
    mutating func revertMove(_ entry: JournalEntry) throws -> Bool {
        guard let id = entry.itemID, let place = entry.payload.place, let existing = try existing(id),
            let parent = existing.parent, let name = place.last
        else { return false }
        var folder = domain.root
        for component in PlaceInTime(place.dropLast()).after(try steps(after: entry)).names {
            guard
                let next = try sql.first(
                    "SELECT row FROM item WHERE parent = ? AND name_key = ? AND name = ? AND state <> 7 AND gone = 0",
                    .int(folder), .text(FoldedName(component).text), .text(component.rawValue), reading: { $0.int(0) })
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
        var name = PlaceInTime(destination)
        for step in try steps(after: entry) {
            if step.item != entry.itemID, name.isTouched(by: step) { return false }
            name = name.after(step)
        }
        return true
    }

    /// What was recorded after an entry.
    private func steps(after entry: JournalEntry) throws -> [RecordedStep] {
        try transaction.openTreeWork(in: domain.name).filter { $0.id > entry.id }.compactMap(RecordedStep.init)
    }

    /// What has come to a place whose file has not left it goes back to where its own file is, or is hidden where nothing of it
    /// is here.
    ///
    /// - Returns: false when it has to stay.
    private mutating func stepBack(_ row: Int64) throws -> Bool {
        guard let (id, before) = try existing(row: row), let parent = before.parent else { return false }
        let moves = try transaction.journal(of: id, in: domain.name).filter { $0.step == .renameRecorded }
        for entry in moves.reversed() {
            guard try canTakeBack(entry), try revertMove(entry), let now = try existing(row: row)?.existing else {
                return false
            }
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
