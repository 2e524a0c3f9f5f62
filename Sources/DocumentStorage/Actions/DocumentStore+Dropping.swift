package import DocumentModel

/// Removals that are so here at once, and at the provider as soon as it can be asked. Until then what it tells of the item is
/// not taken up.
extension DocumentStore {
    /// Removes a document, or a folder that nothing is in, from the index and the tree. What was sent of it, and not answered
    /// for, is written down with it: what came of that is to be known before its provider hears of the removal.
    ///
    /// - Parameter isUnderWay: it is just being sent or brought, which nobody waits for; else nobody else works on it.
    /// - Returns: what its provider is to hear; nil when it cannot go so, and nothing is done: something is in it by now, or may
    ///   be, its provider does not know it, and was not given it either, it is in conflict, or not under way.
    /// - Throws: `unsyncedEdits` when it has changes that were not sent, and those are not to be lost.
    package func drop(
        _ id: ItemIdentifier, in domain: DomainName, discardingEdits: Bool, isUnderWay: Bool = false
    ) throws -> JournalEntry? {
        let (item, location) = try locate(id, in: domain)
        if item.isUnsent, !discardingEdits { throw try refusedRemoval(of: item) }
        let here = try versionOfRemovedFile(of: item)
        // As of a conflict whose file somebody has taken away.
        if item.local == nil {
            try trashSides(of: [id], in: domain, discardingEdits: discardingEdits, skippingTrash: false)
        }
        // What just comes is at its place and written down, or neither.
        let dropped = try moves.exclusively {
            try index.write { index in
                try drop(
                    item, at: location, asHere: here, discardingEdits: discardingEdits, isUnderWay: isUnderWay, index)
            }
        }
        guard let (entry, outcome) = dropped else { return nil }
        try reached(.itemDropped)
        try perform(outcome)
        return entry
    }

    /// What goes of a document whose file is out of the way already, as when it is renamed onto another one: what was here,
    /// whatever the remote has by now, which nobody has seen. Nil for any other.
    package func versionOfRemovedFile(of item: IndexedItem) throws -> ItemVersion? {
        guard item.item.kind == .document, !item.isUnsent, item.synced != nil else { return nil }
        return try isFileMissing(item) ? item.versionToRemove : nil
    }

    /// - Parameter asHere: the version that goes, where it is not the one that is known of the remote.
    private func drop(
        _ item: IndexedItem, at location: Location, asHere: ItemVersion?, discardingEdits: Bool, isUnderWay: Bool,
        _ index: IndexTransaction
    ) throws -> (JournalEntry, ApplyOutcome)? {
        let (id, domain) = (item.id, item.domain)
        // Of what was changed here, what the change began from; else what is known of it.
        let base = item.isUnsent ? item.versionToRemove : asHere ?? item.item.version
        let sending = try index.journal(of: id, in: domain).last { $0.action == .send }
        // What was asked for before something else was agreed on says nothing any more.
        let agreed = (item.isUnsent ? item.synced : asHere) ?? item.item.version
        let earlier = try index.outstanding(of: item).flatMap { $0.base?.content == agreed.content ? $0 : nil }
        let unanswered = sending?.payload ?? earlier
        // A tool may have put something into it since somebody looked.
        guard try index.isStill(item, at: location), !item.isGone, ![.conflict, .nameClash].contains(item.state),
            item.state != .sending || sending != nil, unanswered != nil || !item.isArriving,
            !isUnderWay || [.sending, .materialising].contains(item.state)
        else { return nil }
        if item.item.kind != .document {
            guard try index.listing(of: id, in: domain).isComplete, try !index.hasChildren(id, in: domain) else {
                return nil
            }
        }
        let entry = try index.beginDropping(item, from: location, base: base, unanswered: unanswered)
        if let sending { try index.finish(sending) }
        try index.finishRelocations(of: id, in: domain)
        return (
            entry,
            try remove([id], in: domain, discardingEdits: discardingEdits, includingArriving: item.isArriving, index)
        )
    }

    /// The provider has removed it; or it stays there, and what the provider tells of it counts again.
    package func finishDropping(_ entry: JournalEntry) throws {
        try index.write { index in
            try index.finish(entry)
            questions.settled(entry.itemID, in: entry.domain)
        }
        discard(request: entry.payload.staging)
        try reached(.dropFinished)
    }
}

extension IndexTransaction {
    /// - Parameters:
    ///   - base: the version that whoever removed it has seen.
    ///   - unanswered: what its provider was given of it, and has not answered for.
    func beginDropping(
        _ item: IndexedItem, from place: Location, base: ItemVersion, unanswered: JournalPayload? = nil
    ) throws -> JournalEntry {
        if !item.isArriving { try noteLeaving(place, of: item) }
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
        if let unanswered { try payload.callOff(unanswered, of: item, index: self) }
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
