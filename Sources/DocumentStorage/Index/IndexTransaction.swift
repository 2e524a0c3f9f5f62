package import DocumentModel

/// What can be changed in the index, in one transaction.
package final class IndexTransaction: IndexReader {
    /// What is told of when it is committed.
    private(set) var presence: Set<PresenceNews> = []
    /// Items that have other identifiers, and new ones, in the order in which they got them.
    private(set) var identities: [IdentityNews] = []
    private(set) var touched = WriteLog.Touched.anything

    func note(_ news: PresenceNews) { presence.insert(news) }

    func note(_ news: IdentityNews) { identities.append(news) }

    /// What was written is of one document, and nothing that is looked up with another item: to be called when all is written.
    func touchesOnly(_ item: IndexedItem) {
        touched = .document(TouchedDocument(domain: item.domain, id: item.id))
    }

    /// Items outside a listing: one that was looked up, or the answer to create and modify.
    package func apply(
        _ items: [Item], in domain: DomainName, leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.settled = settled
        try applier.apply(items)
        return applier.outcome
    }

    /// An item at a place that somebody here gives it, whatever its provider has told.
    func place(_ item: Item, in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.heedsRelocations = false
        try applier.apply([item])
        return applier.outcome
    }

    /// One page of changes, with the anchor that it leads to: the tree and the anchor in one transaction. Where its provider has
    /// to be asked for some of it, the page is open until it is closed (``closePage(to:of:)``).
    ///
    /// - Parameters:
    ///   - since: the anchor that they follow; when it was set back meanwhile, it stays there. Nil: whatever it was.
    ///   - holding: what is gone is only written down, see ``settleHeldRemovals(of:judge:)``.
    ///   - settled: items of which they tell what was before.
    package func apply(
        _ changes: ItemChanges, in domain: DomainName, since: SyncAnchor? = nil, holding: Bool = false,
        leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.isHolding = holding
        applier.settled = settled
        // First what is new, so that what was moved out of a folder does not go with it.
        try applier.apply(changes.updated)
        try applier.delete(changes.deleted)
        if let since {
            let isStill = try setAnchor(changes.anchor, of: domain, ifStill: since)
            if isStill, applier.outcome.leavesOpen { try openPage(to: changes.anchor, since: since, of: domain) }
        } else {
            try setAnchor(changes.anchor, of: domain)
        }
        return applier.outcome
    }

    /// Begins a full listing of a folder, and returns its generation.
    package func beginListing(of folder: ItemIdentifier, in domain: DomainName) throws -> Int64 {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        try sql.run(
            """
            INSERT INTO listing (folder, generation, under_way, complete, next) VALUES (?, 1, 1, 0, NULL)
            ON CONFLICT (folder) DO UPDATE SET generation = generation + 1, under_way = 1, next = NULL
            """, .int(row))
        return try listing(of: folder, in: domain).generation
    }

    /// One page of it. With the last page (`next` is nil) what was not seen in it is deleted, and the listing is
    /// complete.
    ///
    /// - Throws: `pageExpired` when another listing of the folder has begun since.
    package func apply(
        _ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64, reporting: Bool = false,
        holding: Bool = false, leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        let current = try sql.first(
            "SELECT generation FROM listing WHERE folder = ? AND under_way = 1", .int(row)
        ) { $0.int(0) }
        guard current == generation else {
            throw DocumentError(
                .pageExpired, "The listing of “\(folder)” was overtaken by another one: list the folder again.")
        }
        var applier = ItemApplier(self, own, reporting: reporting)
        applier.isHolding = holding
        applier.settled = settled
        try applier.apply(page.items, ofFolder: row, folder, generation: generation)
        if !reporting, let first = applier.firstInserted { try noteDuePlaceholders(from: first) }
        if let next = page.next {
            try sql.run("UPDATE listing SET next = ? WHERE folder = ?", .blob(next.bytes), .int(row))
        } else {
            try applier.deleteUnseen(inFolder: row, generation: generation)
            try sql.run("UPDATE listing SET complete = 1, under_way = 0, next = NULL WHERE folder = ?", .int(row))
        }
        return applier.outcome
    }

    /// - Parameter holding: they are only written down, see ``settleHeldRemovals(of:judge:)``.
    package func delete(
        _ ids: [ItemIdentifier], in domain: DomainName, holding: Bool = false, includingArriving: Bool = false
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: false)
        applier.isHolding = holding
        applier.removesArriving = includingArriving
        try applier.delete(ids)
        return applier.outcome
    }

    /// Removes rows whose contents are cleared from the tree.
    func deleteCleared(_ id: ItemIdentifier, in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        try applier.deleteCleared(id)
        return applier.outcome
    }

    /// Takes a move back that the tree on disk refused.
    ///
    /// - Returns: false when it cannot be taken back: what was changed until then is to be rolled back.
    func revertMove(_ entry: JournalEntry) throws -> Bool {
        guard let id = entry.itemID, entry.payload.place != nil else { return true }
        var applier = ItemApplier(self, try reference(to: entry.domain), reporting: false)
        guard try applier.canTakeBack(entry), try applier.revertMove(entry) else { return false }
        // Where it was to go from there it goes from here, when it can.
        for later in try journal(of: id, in: entry.domain) where later.id > entry.id && later.step == .renameRecorded {
            try finish(later)
        }
        return true
    }

    /// The provider does not have them any more, as it has said when it was asked: they wait for no place in another folder, and a
    /// listing of the one that they are in that does not show them counts.
    package func giveUpWanted(of ids: [ItemIdentifier], in domain: DomainName) throws {
        let own = try reference(to: domain)
        for id in ids {
            guard let row = try row(of: id, own) else { continue }
            try sql.run(
                """
                UPDATE item SET wanted_parent = NULL, wanted_name = NULL, wanted_key = NULL
                WHERE row = ? AND wanted_parent <> parent
                """, .int(row))
        }
    }

    /// Tries again to give items the places that they want.
    func retryWanted(in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        try applier.retryWanted()
        return applier.outcome
    }

    /// An item is about to get another identifier: what the feed has told of that one already is nothing but a row without contents,
    /// and goes.
    ///
    /// - Returns: what is to be done in the tree for those that get the name that it was told of by.
    private func makeWay(
        for newID: ItemIdentifier, of id: ItemIdentifier, in domain: DomainName
    ) throws -> [JournalEntry] {
        guard id != newID, let known = try item(newID, in: domain) else { return [] }
        guard known.local == nil, known.item.kind == .document else {
            throw DocumentError(
                .contractBroken, "The provider of \(domain) made an item anew and named it like another one.",
                itemID: newID)
        }
        return try delete([newID], in: domain).work.filter { entry in
            guard entry.itemID == newID else { return true }
            // Nothing of it lies there, and by its identifier it is the other one that would be removed.
            try finish(entry)
            return false
        }
    }

    /// An item that was made anew at the provider has another identifier there, and is the same one here.
    ///
    /// - Returns: what is to be done in the tree for those that get the name of what was known by the new identifier.
    func rename(_ id: ItemIdentifier, to newID: ItemIdentifier, in domain: DomainName) throws -> [JournalEntry] {
        let own = try reference(to: domain)
        let work = try makeWay(for: newID, of: id, in: domain)
        try update("id = ?", .text(newID.rawValue), of: id, in: domain)
        try noteArrival(of: id, as: newID, own)
        if id != newID { note(.changed(domain, former: id, id: newID)) }
        if try item(newID, in: domain)?.item.kind != .document {
            try renameInRelocations(id, to: newID, in: domain)
            // Who watches it knows it by its former identifier.
            if try hasContents(newID, in: domain) {
                presence.insert(PresenceNews(domain: domain, folder: newID, isHere: true))
            }
        }
        try sql.run(
            "UPDATE conflict SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue), .int(own.number),
            .text(id.rawValue))
        // Whoever writes to it meanwhile ends that under its new identifier.
        try sql.run(
            "UPDATE journal SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue), .int(own.number),
            .text(id.rawValue))
        try renameInBookmarks(id, to: newID, own)
        try renameInVersions(id, to: newID, own.number)
        try renameInSides(id, to: newID, own.number)
        return work
    }

    /// A folder that is gone at the provider was made anew there, and is the same one here.
    ///
    /// - Returns: what is to be done in the tree for what was known by the new identifier, and those that get its name.
    func revive(
        _ id: ItemIdentifier, as newID: ItemIdentifier, in domain: DomainName
    ) throws -> [JournalEntry] {
        let own = try reference(to: domain)
        let row = try knownRow(of: id, own)
        var work: [JournalEntry] = []
        if id != newID, try item(newID, in: domain) != nil {
            // A folder of its own by now, with what is in it here: what is sent into it goes there.
            if try holdsMoreThanTold(newID, in: domain) { return [] }
            // What is known of the other one is told anew, of this one.
            work = try delete([newID], in: domain).work
        }
        try update("id = ?", .text(newID.rawValue), of: id, in: domain)
        try noteArrival(of: id, as: newID, own)
        if id != newID { note(.changed(domain, former: id, id: newID)) }
        // It may have been moved here while it was made there.
        try sql.run(
            "UPDATE journal SET item = ? WHERE domain = ? AND item = ? AND action = 'relocate'", .text(newID.rawValue),
            .int(own.number), .text(id.rawValue))
        try renameInRelocations(id, to: newID, in: domain)
        try renameInBookmarks(id, to: newID, own)
        // Nothing is known of what is in it there.
        try sql.run("DELETE FROM listing WHERE folder = ?", .int(row))
        return work
    }
}
