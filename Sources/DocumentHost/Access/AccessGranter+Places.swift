import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import SystemPackage

/// Accesses that write where nothing is yet: the claim is on the place, the tool writes the file itself, and at the end it is
/// taken in as a new document (COORD-19, COORD-30, PICK-2).
extension AccessGranter {
    /// What an intention is about: an item; or a free place, for those who may write there.
    ///
    /// - Parameter room: the folder in which something new is to be made at once, where that is known to be possible.
    func target(
        of intention: AccessRequest.Intention, in domain: Domain, _ request: AccessRequest, _ room: IndexedItem?
    ) async throws(DocumentError) -> (target: AccessTarget, around: KnownItem) {
        if let room, let name = intention.location.name, let parent = intention.location.parent {
            let around = try current(room.key, parent)
            try checkPlace(intention.location, in: room, domain)
            return (.place(FreePlace(name, in: room, around.coordinated, at: intention.location)), around)
        }
        do throws(DocumentError) {
            let found = try await find(intention.location, in: domain)
            guard !request.isCreating else { throw Exporter.exists(intention.location) }
            return (.item(found.key), found)
        } catch {
            guard error.code == .noSuchItem, intention.mayMakeDocument, !request.isPreparation,
                let name = intention.location.name, let parent = intention.location.parent
            else { throw error }
            let folder = try await find(parent, in: domain)
            try checkPlace(intention.location, in: folder.item, domain)
            return (.place(FreePlace(name, in: folder.item, folder.coordinated, at: intention.location)), folder)
        }
    }

    /// The folder in which something new is to be made at once, where that is known to be possible.
    func room(
        for intention: AccessRequest.Intention, in domain: Domain, by owner: ClaimOwner
    ) async throws(DocumentError) -> IndexedItem? {
        if let room = try resolver.folderWithRoom(for: intention.location, in: domain) { return room }
        return try await pending.during(.place, intention, by: owner) { () async throws(DocumentError) in
            try await resolver.listedFolderWithRoom(for: intention.location, in: domain)
        }
    }

    private func checkPlace(
        _ location: Location, in folder: IndexedItem, _ domain: Domain
    ) throws(DocumentError) {
        try domain.require([.open], for: "edited")
        try domain.requireModifying(location)
        guard folder.item.kind != .document else {
            throw DocumentError(
                .noSuchItem, "There is no \(location): what lies around it is not a folder, and holds nothing.")
        }
        guard folder.item.capabilities.contains(.write) else {
            throw DocumentError(
                .notPermitted,
                "There is no \(location), and its folder is read-only on the remote: nothing can be made there.")
        }
    }

    /// Under the claim on a place.
    ///
    /// - Parameter number: of the intention.
    /// - Returns: nil when something has come there meanwhile: then that is what is to be accessed.
    func hold(
        _ place: FreePlace, _ number: Int, at location: Location, in access: inout Access, creating: Bool
    ) async throws(DocumentError) -> GrantedItem? {
        if let there = try known.item(at: location), there.item.exists { return nil }
        let (name, folder) = (place.name, place.folder)
        guard creating else {
            let entry = try await storage.run { store in
                try store.expectDocument(named: name, in: folder.id, of: folder.domain)
            }
            access.awaited.append(AwaitedDocument(entry: entry, intention: number))
            return .place(try status(of: entry, at: location))
        }
        let made = try await storage.run { try $0.makeDocument(named: name, in: folder.id, of: folder.domain) }
        access.changes.append(made.change)
        guard let item = try known.item(made.item.key) else {
            throw DocumentError(.noSuchItem, "\(location) was removed while it was made.")
        }
        // From here on the claim is on the item.
        broker.noticed(.appeared, on: item.coordinated)
        access.keys.append(made.item.key)
        access.intentions[number] = AccessIntention(item.coordinated, .writing(nil))
        return .item(item, otherPath: nil)
    }

    /// What a tool is told of a place: where it may write, under the identifier that the document will have first.
    private func status(of entry: JournalEntry, at location: Location) throws(DocumentError) -> ItemStatus {
        guard let id = entry.itemID, let place = entry.payload.place else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a new document needs.")
        }
        // A document has a content version; this one is nobody else's.
        let version = try ItemVersion(content: Array(id.rawValue.utf8))
        let disk = Location(domain: location.domain, components: place)
        return ItemStatus(
            item: Item(
                id: id, parentID: entry.payload.parentID, name: location.name, kind: .document, version: version),
            location: location, state: .placeholder, path: storage.store.root.tree.path(of: disk).string)
    }

    /// Takes in what was written.
    ///
    /// - Returns: what has become of the places, by the numbers of their intentions.
    func takeIn(_ access: Access) async throws(DocumentError) -> [Int: ClaimEffect] {
        var effects: [Int: ClaimEffect] = [:]
        var failure: DocumentError?
        for awaited in access.awaited {
            do throws(DocumentError) {
                let isThere = try await takeIn(awaited.entry, of: access)
                effects[awaited.intention] = isThere ? .appeared : .unchanged
            } catch {
                // What else was written counts all the same.
                effects[awaited.intention] = .unchanged
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return effects
    }

    /// - Returns: whether a document has come to the place.
    private func takeIn(_ entry: JournalEntry, of access: Access) async throws(DocumentError) -> Bool {
        let made = try await storage.run { store in
            try store.takeIn(entry) { try ConflictName.make(for: $0, at: ConflictName.date(of: $1), attempt: $2) }
        }
        guard let made else { return false }
        let item = try storage.read { try $0.coordinated(made) }
        if made.id == entry.itemID {
            try arrivals.send(made)
        } else if made.state == .changed {
            sender.enqueue(made.key)
        }
        guard made.item.name == entry.payload.name else {
            if !broker.isIdle { broker.noticed(.appeared, on: item) }
            let wanted = entry.payload.place.map { Location(domain: entry.domain, components: $0).description }
            throw DocumentError(
                .destinationExists,
                "\(wanted ?? "The place") was taken by another item while you wrote it: what you wrote is \(item.location), and is sent.",
                itemID: made.id)
        }
        // Moved there inside of the access: everybody has followed already.
        guard made.id == entry.itemID else { return false }
        // Those who wait for the place wait for the document.
        broker.occupied(by: item)
        return true
    }
}

extension AccessRequest.Intention {
    /// Whether a document may come into being by it (COORD-19): there is nothing to be read, moved or removed.
    fileprivate var mayMakeDocument: Bool {
        intent == .writing && (writingOption == nil || writingOption == .forReplacing || writingOption == .forMerging)
    }
}
