package import DocumentModel

/// What can be asked of the index. Valid within the closure that it was given to.
package class IndexReader {
    let sql: SQLConnection
    /// The domain that was asked for last: mostly, all is about one.
    private var lastReference: DomainReference?
    private var recentItems = RecentItems()

    private let references: DomainReferences.View

    init(_ sql: SQLConnection, _ references: DomainReferences.View) {
        self.sql = sql
        self.references = references
    }

    // MARK: Domains

    package func domains() throws -> [DomainRecord] {
        let names = try sql.all("SELECT name FROM domain ORDER BY name") { $0.text(0) }
        return try names.compactMap { try domain(DomainName($0)) }
    }

    package func domain(_ name: DomainName) throws -> DomainRecord? {
        let settings = try sql.all(
            """
            SELECT domain_setting.name, value FROM domain_setting JOIN domain ON number = domain
            WHERE domain.name = ?
            """, .text(name.rawValue)
        ) { ($0.text(0), $0.text(1)) }
        return try sql.first(
            "SELECT provider, root_id, anchor, sign_in FROM domain WHERE name = ?", .text(name.rawValue)
        ) { row in
            DomainRecord(
                name: name,
                provider: try ProviderIdentifier(row.text(0)),
                rootID: try ItemIdentifier(row.text(1)),
                settings: Dictionary(settings) { $1 },
                anchor: row.isNull(2) ? nil : try SyncAnchor(row.blob(2)),
                signIn: DomainRecord.SignIn(rawValue: Int(row.int(3))) ?? .needed
            )
        }
    }

    /// Its top folder's identifier.
    package func rootID(of domain: DomainName) throws -> ItemIdentifier { try reference(to: domain).rootID }

    package func counts(of domain: DomainName) throws -> ItemCounts {
        let own = try reference(to: domain)
        var counts = ItemCounts(documents: 0, folders: 0, byState: [:])
        _ = try sql.first("SELECT documents, folders FROM domain WHERE number = ?", .int(own.number)) { row in
            counts.documents = Int(row.int(0))
            counts.folders = Int(row.int(1))
        }
        _ = try sql.all(
            "SELECT state, count(*) FROM item WHERE domain = ? AND state <> 0 GROUP BY state", .int(own.number)
        ) { row in
            counts.byState[try ItemRow.state(row.int(0))] = Int(row.int(1))
        }
        return counts
    }

    // MARK: Items

    package func item(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem? {
        let writes = sql.writesCount
        if let recent = recentItems.item(id, in: domain, after: writes) { return recent }
        let own = try reference(to: domain)
        let item = try sql.first(
            ItemRow.withIdentifier, .int(own.number),
            .text(try known(id, own).rawValue)
        ) { try ItemRow.read($0, domain: domain) }
        if let item { recentItems.keep(item, askedAs: id, after: writes) }
        return item
    }

    package func item(at location: Location) throws -> IndexedItem? {
        let own = try reference(to: location.domain)
        var row = own.root
        for name in location.components {
            // Of names that clash, the one that is in the tree.
            let next = try sql.first(
                "SELECT row FROM item WHERE parent = ? AND name_key = ? AND name = ? ORDER BY state = 7, row LIMIT 1",
                .int(row), .text(FoldedName(name).text), .text(name.rawValue)
            ) { $0.int(0) }
            guard let next else { return nil }
            row = next
        }
        return try item(row: row, in: location.domain)
    }

    /// Where an item belongs; while a move of it waits in the journal, its file is still elsewhere
    /// (``diskLocation(of:in:)``). Nil for an unknown item (ID-2). Throws `nameClash` for one that is not in the tree
    /// because of its name, or lies in a folder that is not, or in more folders than there can be.
    package func location(of id: ItemIdentifier, in domain: DomainName) throws -> Location? {
        let own = try reference(to: domain)
        guard let row = try row(of: id, own) else { return nil }
        return Location(domain: domain, components: try place(of: row))
    }

    /// The folders around an item, from the inside outwards.
    package func folders(around item: IndexedItem) throws -> [IndexedItem] {
        var folders: [IndexedItem] = []
        var next = item.item.parentID
        while let id = next, let folder = try self.item(id, in: item.domain) {
            folders.append(folder)
            next = folder.item.parentID
        }
        return folders
    }

    /// Where an item belongs of which the folders around it are known: what ``location(of:in:)`` says.
    package func location(of item: IndexedItem, inside folders: [IndexedItem]) throws -> Location {
        var names: [ItemName] = []
        for item in [item] + folders {
            guard item.item.parentID != nil, let name = item.item.name else { break }
            guard item.state != .nameClash else { throw Self.isHidden(name) }
            names.append(name)
        }
        return Location(domain: item.domain, components: names.reversed())
    }

    private static func isHidden(_ name: ItemName) -> DocumentError {
        DocumentError(
            .nameClash,
            "“\(name)” is not shown, because another item of its folder has that name but for case or Unicode form: rename one of the two."
        )
    }

    /// Where the files of many locations of a domain are: what ``diskLocation(of:in:)`` says of each.
    package func diskLocations(in domain: DomainName) throws -> (Location) -> Location {
        let moves = try OpenMoves(in: domain, self)
        return { Location(domain: domain, components: moves.undone($0.components)) }
    }

    /// Where an item's file is, or is to be put: its location, before those moves that are recorded and not carried
    /// out yet. Use it for paths.
    package func diskLocation(of id: ItemIdentifier, in domain: DomainName) throws -> Location? {
        guard let location = try location(of: id, in: domain) else { return nil }
        let place = try OpenMoves(in: domain, self).undone(location.components)
        return Location(domain: domain, components: place)
    }

    /// What has its file at a place on disk, which people may have been told as its path: its location, or the given one
    /// where nothing is to be moved. The other way round of ``diskLocations(in:)``.
    package func location(onDisk place: Location) throws -> Location {
        Location(domain: place.domain, components: try OpenMoves(in: place.domain, self).done(place.components))
    }

    /// Children in the order of their folded names; a page by key, so that its cost does not grow with its place.
    package func children(
        of folder: ItemIdentifier, in domain: DomainName, after cursor: ChildCursor? = nil, limit: Int
    ) throws -> ChildPage {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        let items = try sql.all(
            ItemRow.columns
                + """
                 WHERE item.parent = ? AND (item.name_key, item.row) > (?, ?)
                ORDER BY item.name_key, item.row LIMIT ?
                """,
            .int(row), .text(cursor?.nameKey ?? ""), .int(cursor?.row ?? 0), .int(Int64(limit))
        ) { try ItemRow.read($0, domain: domain) }
        guard items.count == limit, let last = items.last, let name = last.item.name else {
            return ChildPage(items: items, next: nil)
        }
        return ChildPage(items: items, next: ChildCursor(nameKey: FoldedName(name).text, row: last.row))
    }

    package func hasChildren(_ folder: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        guard let row = try row(of: folder, own) else { return false }
        return try sql.first("SELECT 1 FROM item WHERE parent = ? LIMIT 1", .int(row)) { _ in true } ?? false
    }

    /// All items that are not plain placeholders: what has contents here, or is about to, or wants attention. In the
    /// order of their rows, from behind `after`; of all domains when it is nil.
    package func present(in domain: DomainName?, after row: Int64 = 0, limit: Int = 1000) throws -> [IndexedItem] {
        try present(in: domain, after: row, limit: limit, condition: "")
    }

    package func items(
        in state: ItemState, of domain: DomainName?, after row: Int64 = 0, limit: Int = 1000
    ) throws -> [IndexedItem] {
        precondition(state != .placeholder, "plain placeholders are not indexed by state: list their folder")
        return try present(
            in: domain, after: row, limit: limit, condition: "AND item.state = \(ItemRow.number(of: state))")
    }

    /// All documents of a domain with contents here that the provider does not have.
    func unsent(in domain: DomainName) throws -> [IndexedItem] {
        let numbers = [ItemState.changed, .sending, .conflict].map { "\(ItemRow.number(of: $0))" }
        return try present(
            in: domain, after: 0, limit: .max,
            condition: "AND item.state IN (\(numbers.joined(separator: ", "))) AND item.local_inode IS NOT NULL")
    }

    /// Documents with contents here that have no digest and are to have one, in the order of their rows, from behind `after`.
    package func lackingDigest(
        in domain: DomainName, after row: Int64 = 0, limit: Int = 100
    ) throws -> [IndexedItem] {
        let numbers = [ItemState.materialised, .outdated].map { "\(ItemRow.number(of: $0))" }
        return try present(
            in: domain, after: row, limit: limit,
            condition: """
                AND item.state IN (\(numbers.joined(separator: ", "))) AND item.digest IS NULL
                AND item.local_inode IS NOT NULL AND item.local_size <= \(ContentsProof.mostRead)
                """)
    }

    private func present(
        in domain: DomainName?, after row: Int64, limit: Int, condition: String
    ) throws -> [IndexedItem] {
        let domains = try domain.map { [$0] } ?? sql.all("SELECT name FROM domain") { try DomainName($0.text(0)) }
        var items: [IndexedItem] = []
        for domain in domains {
            let own = try reference(to: domain)
            items += try sql.all(
                ItemRow.columns
                    + """
                     WHERE item.domain = ? AND item.state <> 0 AND item.row > ? \(condition) ORDER BY item.row LIMIT ?
                    """,
                .int(own.number), .int(row), .int(Int64(limit))
            ) { try ItemRow.read($0, domain: domain) }
        }
        // The rows of several domains interleave.
        if domains.count > 1 { items.sort { $0.row < $1.row } }
        return Array(items.prefix(limit))
    }

    /// Items with contents here (or about to have them) at or below an item.
    package func present(within id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        guard let row = try row(of: id, own) else { return [] }
        return try sql.all(
            """
            WITH RECURSIVE sub (row) AS (
                SELECT ? UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
            )

            """ + ItemRow.columns + " JOIN sub ON sub.row = item.row WHERE item.state NOT IN (0, 7) ORDER BY item.row",
            .int(row)
        ) { try ItemRow.read($0, domain: domain) }
    }

    /// An item and all that is known below it, from the outside in.
    package func subtree(of id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        let own = try reference(to: domain)
        guard let row = try row(of: id, own) else { return [] }
        return try sql.all(
            """
            WITH RECURSIVE sub (row, depth) AS (
                SELECT ?, 0 UNION ALL SELECT item.row, depth + 1 FROM item JOIN sub ON item.parent = sub.row
            )

            """ + ItemRow.columns + " JOIN sub ON sub.row = item.row ORDER BY depth, item.row", .int(row)
        ) { try ItemRow.read($0, domain: domain) }
    }

    /// Whether a folder has an item with a name, or with one that is the same but for case or Unicode form.
    package func holder(of name: ItemName, in folder: ItemIdentifier, of domain: DomainName) throws -> IndexedItem? {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        return try sql.first(
            ItemRow.columns + " WHERE item.parent = ? AND item.name_key = ? AND item.state <> 7", .int(row),
            .text(FoldedName(name).text)
        ) { try ItemRow.read($0, domain: domain) }
    }

    // MARK: Rows

    func reference(to domain: DomainName) throws -> DomainReference {
        if let lastReference, lastReference.name == domain { return lastReference }
        if let known = references.reference(to: domain) {
            lastReference = known
            return known
        }
        let found = try sql.first("SELECT number, root, root_id FROM domain WHERE name = ?", .text(domain.rawValue)) {
            row in
            DomainReference(
                name: domain, number: row.int(0), root: row.int(1), rootID: try ItemIdentifier(row.text(2)))
        }
        guard let found else {
            throw DocumentError(
                .notConfigured, "There is no domain “\(domain)”: add it with “docent domain add \(domain)”.")
        }
        lastReference = found
        references.keep(found)
        return found
    }

    /// Its number, or its top folder, is another one from now on.
    func forgetReference() {
        lastReference = nil
        references.change()
    }

    func row(of id: ItemIdentifier, _ domain: DomainReference) throws -> Int64? {
        try sql.first(
            "SELECT row FROM item WHERE domain = ? AND id = ?", .int(domain.number),
            .text(try known(id, domain).rawValue)
        ) { $0.int(0) }
    }

    func knownRow(of id: ItemIdentifier, _ domain: DomainReference) throws -> Int64 {
        guard let row = try row(of: id, domain) else { throw Self.unknown(id, domain.name) }
        return row
    }

    static func unknown(_ id: ItemIdentifier, _ domain: DomainName) -> DocumentError {
        DocumentError(
            .noSuchItem, "The domain \(domain) has no item with the identifier “\(id)” here: list its folder again.",
            itemID: id)
    }

    package func item(row: Int64, in domain: DomainName) throws -> IndexedItem? {
        try sql.first(ItemRow.inRow, .int(row)) { try ItemRow.read($0, domain: domain) }
    }

    /// Deeper than any path that a program could open.
    static let maximumDepth = 512

    /// The names on the way from the top folder to a row.
    func place(of row: Int64) throws -> [ItemName] {
        var names: [ItemName] = []
        var next: Int64? = row
        while let current = next {
            let found = try sql.first("SELECT parent, name, state FROM item WHERE row = ?", .int(current)) { row in
                (parent: row.optionalInt(0), name: row.text(1), state: row.int(2))
            }
            guard let found else { break }
            next = found.parent
            if found.parent == nil { break }
            let name = try ItemName(found.name)
            guard found.state != ItemRow.number(of: .nameClash) else {
                throw Self.isHidden(name)
            }
            names.append(name)
            guard names.count <= 4 * Self.maximumDepth else {
                // It has no place, as if its name were taken: nothing that goes through all items may fail because of one.
                throw DocumentError(
                    .nameClash,
                    "“\(name)” is not shown, because it lies deeper than \(4 * Self.maximumDepth) folders: move the folders around it up on the remote."
                )
            }
        }
        return names.reversed()
    }
}
