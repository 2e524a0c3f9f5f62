internal import DocumentModel

/// What was done here, and its provider has not heard of yet: of that, what is told does not count as it is.
extension ItemApplier {
    mutating func dropped() throws -> Set<ItemIdentifier> {
        if let known = knownDropped { return known }
        let dropped = Set(try transaction.droppedItems(in: domain.name).compactMap(\.itemID))
        knownDropped = dropped
        return dropped
    }

    mutating func relocated() throws -> Set<ItemIdentifier> {
        guard heedsRelocations else { return [] }
        if let known = knownRelocated { return known }
        let relocated = try transaction.relocatedItems(in: domain.name)
        knownRelocated = relocated
        return relocated
    }

    /// Documents that somebody may be writing to, and packages that somebody may be writing in. Looked up once: of many removals
    /// each would look at all that is begun.
    mutating func written() throws -> Set<ItemIdentifier> {
        if let known = knownWritten { return known }
        let written = try transaction.writtenItems(in: domain.name)
        knownWritten = written
        return written
    }

    /// Of what was moved here, and not at the provider yet, all counts that is told, but for the place.
    ///
    /// - Returns: false of anything else.
    mutating func applyRelocated(_ item: Item) throws -> Bool {
        guard try relocated().contains(item.id), let existing = try existing(item.id), let parent = existing.parent
        else {
            return false
        }
        let name = try ItemName(existing.name)
        let generation = try sql.first("SELECT generation FROM listing WHERE folder = ?", .int(parent)) { $0.int(0) }
        try applyCarefully(item, name, existing.key, parent, generation ?? 0)
        return true
    }

    /// A folder goes: what was moved into it here its provider has where it was, and there it is again. Not what has contents that
    /// nobody else has: it stays, with the folder (VER-15), as its former place may be written to by a program at any moment.
    mutating func takeOutRelocated(of folder: Int64) throws {
        guard try !relocated().isEmpty else { return }
        var seen: Set<ItemIdentifier> = []
        for entry in try transaction.relocations(in: domain.name) {
            // The first one says where that is.
            guard let id = entry.itemID, seen.insert(id).inserted, let item = try existing(id), item.row != folder,
                try isWithin(item.row, folder), let origin = try entry.payload.originID.flatMap({ try existing($0) }),
                try !origin.isGone && !isWithin(origin.row, folder), let name = entry.payload.place?.last,
                try !(entry.payload.heldUnsent || transaction.holdsUnsent(id, in: domain.name)),
                case let key = FoldedName(name).text,
                try holder(of: key, in: origin.row) == nil
            else { continue }
            try perform(WaitingMove(row: item.row, id: id, parent: origin.row, name: name, key: key))
        }
    }

    /// A folder goes, and its provider has told of some of what is in it elsewhere before. That waits where only the folder is in its
    /// way, because the other one around it has the folder's name: beside the folder it goes on waiting.
    mutating func takeOutWaiting(of folder: Int64) throws {
        guard let around = try parent(of: folder) else { return }
        for move in try waiting + wanting() where try move.row != folder && isWithin(move.row, folder) {
            guard try !isWithin(move.parent, folder), try isKept(move, only: folder) else { continue }
            let name = try ItemName(Self.asideName(of: move.row))
            try perform(
                WaitingMove(row: move.row, id: move.id, parent: around, name: name, key: FoldedName(name).text))
            waiting.removeAll { $0.row == move.row }
            waiting.append(move)
        }
    }

    /// Whether nothing but the name of a folder that goes keeps an item from where it is to be.
    private func isKept(_ move: WaitingMove, only folder: Int64) throws -> Bool {
        if let holder = try holder(of: move.key, in: move.parent), holder != move.row { return false }
        var next: Int64? = move.parent
        var steps = 0
        while let current = next, steps < 2 * IndexReader.maximumDepth {
            guard let (_, outer) = try existing(row: current), !outer.isGone else { return false }
            if outer.state == Self.clash, let parent = outer.parent {
                guard try holder(of: outer.key, in: parent) == folder else { return false }
            }
            next = outer.parent
            steps += 1
        }
        return next == nil
    }
}
