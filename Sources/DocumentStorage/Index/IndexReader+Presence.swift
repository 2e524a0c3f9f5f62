package import DocumentModel

/// Where contents are, without a look at what has none: the partial index `item_here` knows.
extension IndexReader {
    /// The folders that hold documents with contents here.
    package func foldersWithContents(in domain: DomainName) throws -> [ItemIdentifier] {
        let own = try reference(to: domain)
        return try sql.all(
            """
            SELECT id FROM item WHERE +domain = ? AND row IN (SELECT parent FROM item WHERE local_inode IS NOT NULL)
            ORDER BY row
            """, .int(own.number)
        ) { try ItemIdentifier($0.text(0)) }
    }

    /// Those of a folder's documents that have contents here.
    package func contents(of folder: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return [] }
        return try sql.all(
            ItemRow.columns + " WHERE item.parent = ? AND item.local_inode IS NOT NULL ORDER BY item.row", .int(row)
        ) { try ItemRow.read($0, domain: domain) }
    }

    package func hasContents(_ folder: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return false }
        return try sql.first(
            "SELECT 1 FROM item WHERE parent = ? AND local_inode IS NOT NULL LIMIT 1", .int(row)
        ) { _ in true } ?? false
    }

    /// Whether there is more of a folder than what its provider has told, and tells again: contents of what is in it, what was
    /// made in it here, or what was moved into it or out of it and is still to be told.
    package func holdsMoreThanTold(_ folder: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let inside = try subtree(of: folder, in: domain)
        if try !present(within: folder, in: domain).isEmpty || inside.contains(where: { $0.isArriving }) { return true }
        let ids = Set(inside.map(\.id))
        return try relocations(in: domain).contains { entry in
            [entry.itemID, entry.payload.parentID, entry.payload.originID].contains { $0.map(ids.contains) ?? false }
        }
    }

    /// Those of a folder's items that a listing has not shown, and none before it, of which more is known here than what their
    /// provider has told: contents that are here, what somebody has said or asked for, be it of something below them. Those that
    /// wait for a place in another folder, too: whether they are there, no listing of this one says.
    package func unseenOfNote(
        in folder: ItemIdentifier, of domain: DomainName, generation: Int64
    ) throws -> [ItemIdentifier] {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return [] }
        let isOfNote = "(item.local_inode IS NOT NULL OR item.wanted_parent <> item.parent OR \(Self.isSpokenOf))"
        let unseen = try sql.all(
            """
            SELECT id, \(isOfNote) FROM item
            WHERE parent = ? AND generation <> ? AND gone = 0 AND (kind <> 0 OR \(isOfNote))
                AND NOT EXISTS (SELECT 1 FROM held_removal WHERE held_removal.row = item.row AND side = 0)
            ORDER BY row
            """, .int(row), .int(generation)
        ) { (id: try ItemIdentifier($0.text(0)), isOfNote: $0.int(1) != 0) }
        return try unseen.filter { item in
            try item.isOfNote || !present(within: item.id, in: domain).isEmpty
                || !spokenOf(below: item.id, in: domain).isEmpty
        }.map(\.id)
    }

    /// Whether an item is there for whoever asks (``IndexedItem/exists``): also a folder that the provider has deleted, as long as
    /// something in it was changed here, and outlives that (VER-15).
    package func isShown(_ item: IndexedItem) throws -> Bool {
        guard !item.exists, item.item.kind != .document else { return item.exists }
        return try present(within: item.id, in: item.domain).contains(where: \.isUnsent)
    }

    /// Whether the remote does not have an item any more, as far as is known: it is gone, or a folder around it.
    package func isGoneThere(_ item: IndexedItem) throws -> Bool {
        try item.isGone || folders(around: item).contains { $0.isGone }
    }

    /// - Throws: `noSuchItem` when nothing is there that could take the place of what was changed of an item here: what is kept of
    ///   it would go with the item.
    package func requireThere(_ item: IndexedItem, at location: Location) throws {
        guard try isGoneThere(item) else { return }
        throw DocumentError(
            .noSuchItem,
            "\(location) is gone on the remote: nothing is there that could take the place of the edit.",
            itemID: item.id)
    }

    /// What is known to be at a location, for whoever asks.
    package func shownItem(at location: Location) throws -> IndexedItem? {
        guard let item = try item(at: location), try isShown(item) else { return nil }
        return item
    }

    /// What is below an item, in whatever depth, and somebody has said something about, or asked for.
    package func spokenOf(below id: ItemIdentifier, in domain: DomainName) throws -> [ItemIdentifier] {
        guard let row = try row(of: id, reference(to: domain)) else { return [] }
        return try sql.all(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT row FROM item WHERE parent = ? UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )
            SELECT item.id FROM sub JOIN item ON item.row = sub.row WHERE \(Self.isSpokenOf) ORDER BY item.row
            """, .int(row)
        ) { try ItemIdentifier($0.text(0)) }
    }

    private static let isSpokenOf = """
        (item.pinned <> 0 OR item.paused <> 0
            OR EXISTS (SELECT 1 FROM download_request WHERE download_request.item = item.row))
        """

    /// A document with contents here, by the name that its file has in a folder.
    package func contents(
        named name: ItemName, in folder: ItemIdentifier, of domain: DomainName
    ) throws -> IndexedItem? {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return nil }
        return try sql.first(
            ItemRow.columns
                + " WHERE item.parent = ? AND item.name_key = ? AND item.name = ? AND item.local_inode IS NOT NULL",
            .int(row), .text(FoldedName(name).text), .text(name.rawValue)
        ) { try ItemRow.read($0, domain: domain) }
    }

    /// Whether an item is to have a name that it could not get.
    func isWanted(_ name: ItemName, in folder: ItemIdentifier, of domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return false }
        return try sql.first(
            "SELECT 1 FROM item WHERE wanted_parent = ? AND wanted_key = ? LIMIT 1", .int(row),
            .text(FoldedName(name).text)
        ) { _ in true } ?? false
    }

    /// Where the files of items are, in their order; nil for what is not in the tree. For many of few folders.
    package func diskPlaces(of items: [IndexedItem], in domain: DomainName) throws -> [Location?] {
        let onDisk = try diskLocations(in: domain)
        var folders: [ItemIdentifier: Location?] = [:]
        return try items.map { item in
            guard item.state != .nameClash, let parent = item.item.parentID, let name = item.item.name else {
                return nil
            }
            if folders[parent] == nil {
                do {
                    folders[parent] = .some(try location(of: parent, in: domain))
                } catch let error as DocumentError where error.code == .nameClash {
                    folders[parent] = .some(nil)
                }
            }
            return folders[parent].flatMap { $0 }.map { onDisk($0.appending(name)) }
        }
    }
}
