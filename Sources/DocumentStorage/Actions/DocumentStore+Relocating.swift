package import DocumentModel

/// Documents and folders that get another place here at once, and at the provider as soon as it can be asked. Until then they
/// stay where they were put, whatever it tells of where they are.
extension DocumentStore {
    /// Gives an item another place, in the index and the tree; a folder, with all that is in it.
    ///
    /// - Parameter place: where who asks has seen it.
    /// - Returns: what its provider is to hear; nil when it cannot move so, and nothing is done: it is elsewhere by now, its
    ///   provider does not know it (a folder may be just on its way there), something is being done with it, it is in conflict,
    ///   or not all is known of the folder that it is to come to.
    /// - Throws: `destinationExists` or `nameClash` when the name is taken; `invalidArgument` when it would come into itself.
    package func relocate(
        _ id: ItemIdentifier, in domain: DomainName, from place: Location, to parent: ItemIdentifier, name: ItemName
    ) throws -> JournalEntry? {
        try refuseTaken(name, in: parent, of: domain, except: id)
        let (item, location) = try locate(id, in: domain)
        guard location == place else { return nil }
        // What just comes is at its place and written down, or neither.
        let relocated = try moves.exclusively {
            try index.write { index -> (JournalEntry, ApplyOutcome)? in
                guard try index.isStill(item, at: location), try index.location(of: item.id, in: domain) == location,
                    try index.canRelocate(item, at: location), let folder = try index.item(parent, in: domain),
                    folder.exists, folder.item.kind != .document,
                    try folder.isArriving || index.listing(of: folder.id, in: domain).isComplete,
                    let around = try index.location(of: folder.id, in: domain),
                    try index.holder(of: name, in: folder.id, of: domain).map({ $0.row == item.row }) ?? true
                else { return nil }
                guard !around.components.starts(with: location.components) else {
                    throw DocumentError(.invalidArgument, "\(location) cannot be moved into itself.", itemID: item.id)
                }
                let entry = try index.beginRelocating(item, from: location, to: folder, name)
                var moved = item.item
                (moved.parentID, moved.name) = (folder.id, name)
                let outcome =
                    try item.isArriving
                    ? index.moveArriving(item.id, to: folder.id, name: name, in: domain)
                    : index.place(moved, in: domain)
                guard let now = try index.item(item.id, in: domain), now.item.parentID == folder.id,
                    now.item.name == name
                else {
                    throw DocumentError(.busy, "\(location) cannot be moved just now: try again.", itemID: item.id)
                }
                return (entry, outcome)
            }
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
    ///   - asked: the item as it was known when the provider was asked: what it has told since is newer.
    package func finishRelocating(_ entry: JournalEntry, as item: Item?, since asked: IndexedItem?) throws {
        let domain = entry.domain
        let outcome = try index.write { index in
            // Something else may have become of it since it was read.
            let id = try index.subject(of: entry)
            try index.finish(entry)
            questions.settled(entry.itemID, id, item?.id, in: domain)
            guard let item, let id, var began = try asked ?? index.item(id, in: domain) else { return ApplyOutcome() }
            var outcome = ApplyOutcome()
            // Identifiers that follow names: it is the same item here, and so is what is in it.
            if item.id != id { outcome = try index.follow(id, as: item.id, in: domain) }
            began.item.id = item.id
            outcome.work += try index.apply(item, answeringMoveOf: began).work
            // What was to come into it, or to its place, may have waited for that.
            if item.kind != .document { outcome.work += try index.retryWanted(in: domain).work }
            return outcome
        }
        try reached(.relocationFinished)
        try follow(outcome)
    }
}

extension IndexTransaction {
    fileprivate func canRelocate(_ item: IndexedItem, at place: Location) throws -> Bool {
        guard !item.isArriving || item.item.kind != .document, !item.isGone, item.wanted == nil,
            ![.conflict, .nameClash].contains(item.state)
        else { return false }
        // The tree on disk may still have to follow what the provider has told, or somebody be about to do something with it.
        // What is sent or brought meanwhile finds it where it is then.
        let actions: [JournalAction] = [.relocate, .recordChange, .send, .materialise]
        guard try journal(of: item.id, in: item.domain).allSatisfy({ actions.contains($0.action) }) else {
            return false
        }
        guard item.item.kind != .document else { return true }
        var place = PlaceInTime(place.components)
        for step in try openTreeWork(in: item.domain).compactMap(RecordedStep.init).reversed() {
            place = place.before(step)
            if place.isTouched(by: step) { return false }
        }
        return true
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
        payload.follows = try relocations(around: folder)
        // They may be sent before its provider hears of the move, which is then to be heeded all the same.
        payload.heldUnsent = try holdsUnsent(item.id, in: item.domain)
        return try begin(.documentRelocated, item: item.id, in: item.domain, payload: payload)
    }

    /// A folder was made at its provider where it was when that was asked for first, before a crash, and is elsewhere here by
    /// now: it stays there, and its provider is to hear of that.
    func keepPlace(of known: IndexedItem, madeAs item: Item) throws {
        guard let name = item.name, let originID = item.parentID,
            let origin = try self.item(originID, in: known.domain),
            let parentID = known.item.parentID, let parent = try self.item(parentID, in: known.domain),
            let own = known.item.name, parent.id != origin.id || FoldedName(own) != FoldedName(name),
            try self.item(item.id, in: known.domain)?.row == known.row,
            try journal(of: item.id, in: known.domain).allSatisfy({ $0.action != .relocate })
        else { return }
        let reference = try reference(to: known.domain)
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.base = item.version
        payload.place = try place(of: knownRow(of: origin.id, reference)) + [name]
        payload.destination = try place(of: knownRow(of: parent.id, reference)) + [own]
        (payload.originID, payload.parentID) = (origin.id, parent.id)
        (payload.name, payload.kind) = (own, known.item.kind)
        payload.follows = try relocations(around: parent)
        _ = try begin(.documentRelocated, item: item.id, in: known.domain, payload: payload)
    }

    /// Moves of a folder, and of those around it, that its provider has not heard of.
    private func relocations(around folder: IndexedItem) throws -> [Int64] {
        var entries: [Int64] = []
        var next: IndexedItem? = folder
        while let around = next {
            entries += try journal(of: around.id, in: folder.domain).filter { $0.action == .relocate }.map(\.id)
            next = try around.item.parentID.flatMap { try item($0, in: folder.domain) }
        }
        return entries
    }

    /// A folder has another identifier: what its provider is still to hear of what was in it names it by that.
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

    /// What providers are still to hear of other places, the oldest first.
    package func relocations(in domain: DomainName) throws -> [JournalEntry] {
        try sql.all(
            Self.journalColumns + " WHERE journal.domain = ? AND action = 'relocate' ORDER BY journal.number",
            .int(reference(to: domain).number)
        ) { try Self.entry($0) }
    }

    /// Items that were given other places here, of which their providers have not heard yet.
    func relocatedItems(in domain: DomainName) throws -> Set<ItemIdentifier> {
        Set(
            try sql.all(
                "SELECT DISTINCT item FROM journal WHERE domain = ? AND action = 'relocate'",
                .int(reference(to: domain).number)
            ) { try ItemIdentifier($0.text(0)) })
    }
}
