package import DocumentModel

/// Documents that get another place here at once, and at the provider as soon as it can be asked. Until then they stay where
/// they were put, whatever it tells of where they are.
extension DocumentStore {
    /// Gives a document another place, in the index and the tree.
    ///
    /// - Parameter place: where who asks has seen it.
    /// - Returns: what its provider is to hear; nil when it cannot move so, and nothing is done: it is elsewhere by now, its
    ///   provider does not know it, something is being done with it, it is in conflict, or not all is known of the folder that
    ///   it is to come to.
    /// - Throws: `destinationExists` or `nameClash` when the name is taken.
    package func relocate(
        _ id: ItemIdentifier, in domain: DomainName, from place: Location, to parent: ItemIdentifier, name: ItemName
    ) throws -> JournalEntry? {
        try refuseTaken(name, in: parent, of: domain, except: id)
        let (item, location) = try locate(id, in: domain)
        guard location == place else { return nil }
        let relocated = try index.write { index -> (JournalEntry, ApplyOutcome)? in
            guard try index.isStill(item, at: location), try index.location(of: id, in: domain) == location,
                try index.canRelocate(item), let folder = try index.item(parent, in: domain), folder.exists,
                folder.item.kind != .document,
                try folder.isArriving || index.listing(of: folder.id, in: domain).isComplete,
                try index.location(of: folder.id, in: domain) != nil,
                try index.holder(of: name, in: folder.id, of: domain).map({ $0.id == id }) ?? true
            else { return nil }
            let entry = try index.beginRelocating(item, from: location, to: folder, name)
            var moved = item.item
            (moved.parentID, moved.name) = (folder.id, name)
            let outcome = try index.place(moved, in: domain)
            guard let now = try index.item(id, in: domain), now.item.parentID == folder.id, now.item.name == name else {
                throw DocumentError(.busy, "\(location) cannot be moved just now: try again.", itemID: id)
            }
            return (entry, outcome)
        }
        guard let (entry, outcome) = relocated else { return nil }
        try reached(.documentRelocated)
        try perform(outcome)
        return entry
    }

    /// The provider has it there, too, or has it elsewhere: what it tells of its place counts again.
    ///
    /// - Parameters:
    ///   - item: as the provider has it; nil when that is not known.
    ///   - asked: the document as it was known when the provider was asked: what it has told since is newer.
    package func finishRelocating(_ entry: JournalEntry, as item: Item?, since asked: IndexedItem?) throws {
        let domain = entry.domain
        let outcome = try index.write { index in
            // Something else may have become of it since it was read.
            let id = try index.subject(of: entry)
            try index.finish(entry)
            guard let item, let id, var began = try asked ?? index.item(id, in: domain) else { return ApplyOutcome() }
            // Identifiers that follow names: it is the same document here.
            if item.id != id { try index.rename(id, to: item.id, in: domain) }
            began.item.id = item.id
            return try index.apply(item, answeringMoveOf: began)
        }
        try reached(.relocationFinished)
        try follow(outcome)
    }
}

extension IndexTransaction {
    fileprivate func canRelocate(_ item: IndexedItem) throws -> Bool {
        guard item.item.kind == .document, !item.isArriving, !item.isGone, item.wanted == nil,
            ![.conflict, .sending, .nameClash, .materialising].contains(item.state)
        else { return false }
        // The tree on disk may still have to follow what the provider has told, or somebody be about to do something with it.
        return try journal(of: item.id, in: item.domain).allSatisfy { [.relocate, .recordChange].contains($0.action) }
    }

    fileprivate func beginRelocating(
        _ item: IndexedItem, from place: Location, to folder: IndexedItem, _ name: ItemName
    ) throws -> JournalEntry {
        try noteLeaving(place, of: item)
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.base = item.item.version
        payload.place = place.components
        payload.destination = try self.place(of: knownRow(of: folder.id, reference(to: item.domain))) + [name]
        payload.originID = item.item.parentID
        payload.parentID = folder.id
        payload.name = name
        payload.kind = item.item.kind
        return try begin(.documentRelocated, item: item.id, in: item.domain, payload: payload)
    }

    /// A folder has another identifier: what its provider is still to hear of documents names it by that.
    func renameInRelocations(_ id: ItemIdentifier, to newID: ItemIdentifier, in domain: DomainName) throws {
        let entries = try sql.all(
            Self.journalColumns + " WHERE journal.domain = ? AND action IN ('drop', 'relocate')",
            .int(reference(to: domain).number)
        ) { try Self.entry($0) }
        for var entry in entries where entry.payload.parentID == id || entry.payload.originID == id {
            if entry.payload.parentID == id { entry.payload.parentID = newID }
            if entry.payload.originID == id { entry.payload.originID = newID }
            _ = try advance(entry, to: entry.step)
        }
    }

    /// Closes what the provider was still to hear of a document's places: something later has settled them.
    func finishRelocations(of id: ItemIdentifier, in domain: DomainName) throws {
        for entry in try journal(of: id, in: domain) where entry.action == .relocate { try finish(entry) }
    }
}

extension IndexReader {
    /// The item of an entry, whatever it is called by now; nil when it is not known any more, or the entry is closed.
    package func subject(of entry: JournalEntry, in domain: DomainName) throws -> IndexedItem? {
        try subject(of: entry).flatMap { try item($0, in: domain) }
    }

    /// An entry as it is now; nil when it is closed.
    package func open(_ entry: JournalEntry) throws -> JournalEntry? {
        try sql.first(Self.journalColumns + " WHERE journal.number = ?", .int(entry.id)) { try Self.entry($0) }
    }

    /// Whether something that was moved out of a folder here, or removed in it, is in it still for all that its provider knows.
    package func holdsUntold(_ folder: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let entries = try sql.all(
            Self.journalColumns + " WHERE journal.domain = ? AND action IN ('drop', 'relocate')",
            .int(reference(to: domain).number)
        ) { try Self.entry($0) }
        return entries.contains {
            ($0.action == .relocate ? $0.payload.originID : $0.payload.parentID) == folder
        }
    }

    /// Documents that were given other places here, of which their providers have not heard yet.
    func relocatedItems(in domain: DomainName) throws -> Set<ItemIdentifier> {
        Set(
            try sql.all(
                "SELECT DISTINCT item FROM journal WHERE domain = ? AND action = 'relocate'",
                .int(reference(to: domain).number)
            ) { try ItemIdentifier($0.text(0)) })
    }
}
