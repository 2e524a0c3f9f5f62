package import DocumentModel

/// Removals that are so here at once, and at the provider as soon as it can be asked. Until then what it tells of the item is
/// not taken up.
extension DocumentStore {
    /// Removes a document, or a folder that nothing is in, from the index and the tree.
    ///
    /// - Returns: what its provider is to hear; nil when it cannot go so, and nothing is done: something is in it by now, or may
    ///   be, its provider does not know it, or it is being sent, or in conflict.
    /// - Throws: `unsyncedEdits` when it has changes that were not sent, and those are not to be lost.
    package func drop(
        _ id: ItemIdentifier, in domain: DomainName, discardingEdits: Bool
    ) throws -> JournalEntry? {
        let (item, location) = try locate(id, in: domain)
        if item.isUnsent, !discardingEdits { throw try refusedRemoval(of: item) }
        // What is renamed onto another one is here, and it is that what goes: the remote's, when that is newer, nobody has seen.
        let isAway = try !item.isUnsent && isFileMissing(item)
        // As of a conflict whose file somebody has taken away.
        if item.local == nil {
            try trashSides(of: [id], in: domain, discardingEdits: discardingEdits, skippingTrash: false)
        }
        let dropped = try index.write { index -> (JournalEntry, ApplyOutcome)? in
            // A tool may have put something into it since somebody looked.
            guard try index.isStill(item, at: location), !item.isArriving,
                ![.conflict, .sending, .nameClash, .materialising].contains(item.state)
            else { return nil }
            if item.item.kind != .document {
                guard try index.listing(of: id, in: domain).isComplete, try !index.hasChildren(id, in: domain) else {
                    return nil
                }
            }
            // Of what was changed here, what the change began from; else what is known of it.
            let base = item.isUnsent || isAway ? item.synced ?? item.item.version : item.item.version
            let entry = try index.beginDropping(item, from: location, base: base)
            try index.finishRelocations(of: id, in: domain)
            return (entry, try remove([id], in: domain, discardingEdits: discardingEdits, index))
        }
        guard let (entry, outcome) = dropped else { return nil }
        try reached(.itemDropped)
        try perform(outcome)
        return entry
    }

    /// The provider has removed it; or it stays there, and what the provider tells of it counts again.
    package func finishDropping(_ entry: JournalEntry) throws {
        try index.write { index in
            try index.finish(entry)
            questions.settled(entry.itemID, in: entry.domain)
        }
        try reached(.dropFinished)
    }
}

extension IndexTransaction {
    /// - Parameter base: the version that whoever removed it has seen.
    func beginDropping(_ item: IndexedItem, from place: Location, base: ItemVersion) throws -> JournalEntry {
        try noteLeaving(place, of: item)
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.base = base
        payload.kind = item.item.kind
        (payload.place, payload.parentID, payload.name) = (place.components, item.item.parentID, item.item.name)
        // Its provider has not heard yet that it was moved: there it is where it was, or here.
        if let moved = try journal(of: item.id, in: item.domain).first(where: { $0.action == .relocate })?.payload {
            payload.destination = place.components
            (payload.place, payload.parentID, payload.name) = (moved.place, moved.originID, moved.place?.last)
        }
        return try begin(.itemDropped, item: item.id, in: item.domain, payload: payload)
    }
}

extension IndexReader {
    /// Items that were removed here, and that their providers have not heard of yet.
    package func droppedItems(in domain: DomainName) throws -> [JournalEntry] {
        try sql.all(
            Self.journalColumns + " WHERE journal.domain = ? AND action = 'drop' ORDER BY journal.number",
            .int(reference(to: domain).number)
        ) { try Self.entry($0) }
    }
}
