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

    /// A folder goes: what was moved into it here its provider has where it was, and there it is again.
    mutating func takeOutRelocated(of folder: Int64) throws {
        guard try !relocated().isEmpty else { return }
        var seen: Set<ItemIdentifier> = []
        for entry in try transaction.relocations(in: domain.name) {
            // The first one says where that is.
            guard let id = entry.itemID, seen.insert(id).inserted, let item = try existing(id), item.row != folder,
                try isWithin(item.row, folder), let origin = try entry.payload.originID.flatMap({ try existing($0) }),
                try !origin.isGone && !isWithin(origin.row, folder), let name = entry.payload.place?.last,
                case let key = FoldedName(name).text, try holder(of: key, in: origin.row) == nil
            else { continue }
            try perform(WaitingMove(row: item.row, id: id, parent: origin.row, name: name, key: key))
        }
    }
}
