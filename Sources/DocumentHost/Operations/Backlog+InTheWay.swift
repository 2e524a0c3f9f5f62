import DocumentModel
import DocumentStorage
import FileCoordination

/// What has to be told before something else is: what lay at its place, or around it.
extension Backlog {
    /// Before an item is sent: what lay at its place, or around it, must not be in its way, and the folders around it are to
    /// be at the provider where they are here.
    func settle(before key: ItemKey) async throws(DocumentError) {
        guard try placeKeptBack(key) != nil else { return }
        try await carryOut(key.domain)
        // What has to wait for something else may be in the way still.
        if let place = try placeKeptBack(key) {
            throw DocumentError(
                .busy,
                "\(place) is sent when its provider has heard of what was there before, or around it; wait a moment.")
        }
    }

    /// - Returns: the place of an item; nil when nothing keeps it from being sent.
    private func placeKeptBack(_ key: ItemKey) throws(DocumentError) -> Location? {
        let open = entries(of: key.domain)
        guard !open.isEmpty else { return nil }
        return try storage.read { index in
            guard let place = try index.location(of: key.id, in: key.domain) else { return nil }
            let line = try index.folders(around: key.id, in: key.domain)
            let isKept = open.contains { entry in
                // It is sent with the place that it has: nobody has to be told of others before.
                if key.id.isArriving, entry.itemID == key.id { return false }
                return Self.isInTheWay(entry, of: place) || Self.isInTheWay(entry, of: line)
            }
            return isKept ? place : nil
        }
    }

    /// An item, and the folders around it, from the inside outwards.
    private static func isInTheWay(_ entry: JournalEntry, of line: [IndexedItem]) -> Bool {
        if entry.action == .relocate, let id = entry.itemID, !id.isArriving,
            line.dropFirst().contains(where: { $0.id == id })
        {
            return true
        }
        guard let folder = entry.leftFolder, let name = entry.payload.place?.last.map({ FoldedName($0) }) else {
            return false
        }
        return line.contains { item in
            item.id != entry.itemID && item.item.parentID == folder && item.item.name.map { FoldedName($0) } == name
        }
    }

    /// Whether a folder, moved here now, and what is to be told would wait for each other: something was moved into a folder
    /// in it that is still to be sent, and that could only be sent when what was at the new place, or around it, was told.
    func wouldBlock(_ location: Location, movedTo destination: Location) throws(DocumentError) -> Bool {
        let open = entries(of: location.domain)
        let moves = open.filter { $0.action == .relocate }
        guard !moves.isEmpty else { return false }
        return try storage.read { index in
            let isAwaited = try moves.contains { entry in
                guard let id = entry.payload.parentID, let folder = try index.item(id, in: location.domain),
                    folder.isArriving, let place = try index.location(of: folder.id, in: location.domain)
                else { return false }
                return place.components.starts(with: location.components)
            }
            guard isAwaited else { return false }
            if open.contains(where: { Self.isInTheWay($0, of: destination) }) { return true }
            guard let parent = try destination.parent.flatMap({ try index.item(at: $0) }) else { return true }
            let around = try index.folders(around: parent.id, in: location.domain)
            return around.contains { folder in folder.isArriving || moves.contains { $0.itemID == folder.id } }
        }
    }

    /// Before a provider is asked to do something at a place: what was done there, around it, or in it, it is to hear first,
    /// where it can be asked.
    func settle(at place: Location) async {
        let open = entries(of: place.domain)
        // Of what is in folders that were moved the entries say where it was before.
        guard open.contains(where: { Self.isInTheWay($0, of: place) || Self.lies($0, in: place) || $0.isMoveOfFolder })
        else { return }
        await settle(place.domain)
    }

    /// Remotes may take names for the same that differ by case or Unicode form.
    private static func isInTheWay(_ entry: JournalEntry, of place: Location) -> Bool {
        let components = place.components.map { FoldedName($0) }
        return entry.leftPlaces.contains { !$0.isEmpty && components.starts(with: $0) }
    }

    private static func lies(_ entry: JournalEntry, in place: Location) -> Bool {
        [entry.payload.place, entry.payload.destination].contains { $0?.starts(with: place.components) ?? false }
    }
}

extension JournalEntry {
    fileprivate var isMoveOfFolder: Bool { action == .relocate && payload.kind != .document }
}

extension IndexReader {
    /// An item, and the folders around it, from the inside outwards.
    fileprivate func folders(around id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        var line: [IndexedItem] = []
        var next = try item(id, in: domain)
        while let item = next, line.count < ItemLineage.deepest {
            line.append(item)
            next = try item.item.parentID.flatMap { try self.item($0, in: domain) }
        }
        return line
    }
}
