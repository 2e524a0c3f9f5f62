package import DocumentModel

/// Providers whose identifiers follow names: what was moved there has another identifier, and is the same item here (ID-4).
extension IndexTransaction {
    /// An item that its provider has moved, by the identifier that it has there by now. Something else that has contents here by
    /// that identifier stays what it is.
    ///
    /// - Returns: the item, and what is to be done in the tree for what else was known by the new identifiers.
    func following(_ item: IndexedItem, as newID: ItemIdentifier) throws -> (IndexedItem, ApplyOutcome) {
        guard newID != item.id, try self.item(item.id, in: item.domain) != nil,
            try self.item(newID, in: item.domain)?.local == nil
        else { return (item, ApplyOutcome()) }
        let outcome = try follow(item.id, as: newID, in: item.domain)
        var item = item
        item.item.id = newID
        return (item, outcome)
    }

    /// - Returns: what is to be done in the tree for what else was known by the new identifiers.
    func follow(_ id: ItemIdentifier, as newID: ItemIdentifier, in domain: DomainName) throws -> ApplyOutcome {
        let isFolder = try item(id, in: domain).map { $0.item.kind != .document } ?? false
        var outcome = ApplyOutcome()
        guard isFolder else {
            outcome.work = try rename(id, to: newID, in: domain)
            return outcome
        }
        // What was listed of it already is known here, with its contents.
        if let told = try item(newID, in: domain), told.item.kind != .document,
            try present(within: newID, in: domain).isEmpty
        {
            outcome = try delete([newID], in: domain)
        }
        outcome.work += try rename(id, to: newID, in: domain)
        let own = try reference(to: domain)
        // Also what has left it here: there it is in it still, or was told of under another identifier by now.
        for inner in try identifiers(below: id, own) {
            let now = try Self.moved(inner, from: id, to: newID)
            guard try item(now, in: domain) == nil else { continue }
            outcome.work += try rename(inner, to: now, in: domain)
        }
        try followInDropped(id, as: newID, in: domain)
        return outcome
    }

    /// Those that say that they lie in another one, as paths do.
    private func identifiers(below id: ItemIdentifier, _ own: DomainReference) throws -> [ItemIdentifier] {
        try sql.all(
            "SELECT id FROM item WHERE domain = ? AND id > ? AND id < ? ORDER BY row", .int(own.number),
            // The character after the slash.
            .text(id.rawValue + "/"), .text(id.rawValue + "0")
        ) { try ItemIdentifier($0.text(0)) }
    }

    private static func moved(
        _ inner: ItemIdentifier, from id: ItemIdentifier, to newID: ItemIdentifier
    ) throws -> ItemIdentifier {
        try ItemIdentifier(newID.rawValue + String(inner.rawValue.dropFirst(id.rawValue.count)))
    }

    /// What was removed in it, and is to be removed there.
    private func followInDropped(_ id: ItemIdentifier, as newID: ItemIdentifier, in domain: DomainName) throws {
        let prefix = Array((id.rawValue + "/").utf8)
        for var entry in try droppedItems(in: domain) {
            guard let inner = entry.itemID, inner.rawValue.utf8.starts(with: prefix) else { continue }
            entry.itemID = try Self.moved(inner, from: id, to: newID)
            if let parent = entry.payload.parentID, parent.rawValue.utf8.starts(with: prefix) {
                entry.payload.parentID = try Self.moved(parent, from: id, to: newID)
            }
            _ = try advance(entry, to: entry.step)
        }
    }
}

extension IndexReader {
    /// Whether an identifier is another item's, which is more than a row that its provider has told of: an item that has come to bear
    /// it would be taken for that one.
    package func isTaken(_ id: ItemIdentifier, besides item: IndexedItem) throws -> Bool {
        guard let other = try self.item(id, in: item.domain), other.row != item.row else { return false }
        guard other.item.kind != .document else { return other.local != nil }
        return try item.item.kind == .document || !present(within: id, in: item.domain).isEmpty
    }
}
