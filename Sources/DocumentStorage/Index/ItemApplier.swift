internal import DocumentModel

/// Works what a provider told into the rows of one domain, within a transaction.
struct ItemApplier {
    let transaction: IndexTransaction
    let domain: DomainReference
    /// Whether changed items are wanted in the outcome.
    let reporting: Bool
    /// Whether what the provider says is gone is only held: somebody decides what becomes of it (CONT-13).
    var isHolding = false
    /// Whether what its provider does not know goes, too: it is not by its word that it does.
    var removesArriving = false
    /// Whether something is held in the domain; nil when nobody has looked.
    var hasHeld: Bool?
    /// What was removed here and not at the provider yet; nil when nobody has looked.
    var knownDropped: Set<ItemIdentifier>?
    /// What was moved here and not at the provider yet; nil when nobody has looked.
    var knownRelocated: Set<ItemIdentifier>?
    /// What somebody may be writing to; nil when nobody has looked.
    var knownWritten: Set<ItemIdentifier>?
    /// What was removed or moved at the provider since it was asked for what it tells: there it may be as it was before.
    var settled: Set<ItemIdentifier> = []
    /// Whether what was moved here stays there, whatever is told.
    var heedsRelocations = true
    var outcome = ApplyOutcome()
    /// Renames and moves whose new name is taken at the moment.
    var waiting: [WaitingMove] = []
    /// The first of the rows that are new, in their order.
    var firstInserted: Int64?
    var documents: Int64 = 0
    var folders: Int64 = 0

    struct WaitingMove {
        var row: Int64
        var id: ItemIdentifier
        var parent: Int64
        var name: ItemName
        var key: String
    }

    init(_ transaction: IndexTransaction, _ domain: DomainReference, reporting: Bool) {
        self.transaction = transaction
        self.domain = domain
        self.reporting = reporting
    }

    var sql: SQLConnection { transaction.sql }
    static var clash: Int64 { ItemRow.number(of: .nameClash) }

    // MARK: A page of one folder

    mutating func apply(
        _ items: [Item], ofFolder folder: Int64, _ folderID: ItemIdentifier, generation: Int64
    ) throws {
        guard try checkFolder(folder, of: folderID) else { return }
        let taken = try sql.statement(Self.holderQuery)
        let insert = try sql.statement(Self.insertion)
        for item in items {
            guard item.parentID == nil || item.parentID == folderID else {
                reject(
                    item.id, "says that it lies in “\(item.parentID?.rawValue ?? "")”, but was listed in “\(folderID)”")
                continue
            }
            guard let name = try check(item) else { continue }
            if try applyRelocated(item) { continue }
            let key = FoldedName(name).text
            try taken.bind([.int(folder), .text(key)])
            let isTaken = try taken.step()
            taken.reset()
            if !isTaken, try self.insert(item, name, key, folder, generation, state: 0, insert) {
                continue
            }
            let before = outcome.updated
            try applyCarefully(item, name, key, folder, generation)
            if outcome.updated > before { try addPlaceholder(of: item.id, in: folderID) }
        }
        try settle()
    }

    /// Of a known item as it is now: one with contents has none, and one may be elsewhere than it was told.
    private mutating func addPlaceholder(of id: ItemIdentifier, in folder: ItemIdentifier) throws {
        guard !reporting, let item = try transaction.item(id, in: domain.name), item.item.parentID == folder,
            item.state == .placeholder, let placeholder = Placeholder(item.item)
        else { return }
        outcome.placeholders.append(placeholder)
    }

    /// Deletes the children that a completed listing has not shown.
    mutating func deleteUnseen(inFolder folder: Int64, generation: Int64) throws {
        // What waits for a place in another folder was not to be shown in this one.
        let rows = try sql.all(
            """
            SELECT row FROM item
            WHERE parent = ? AND generation <> ? AND (wanted_parent IS NULL OR wanted_parent = parent)
            """, .int(folder), .int(generation)
        ) { $0.int(0) }
        let relocated = try relocated()
        for row in rows {
            // What was moved into it here, its provider has elsewhere still.
            if !relocated.isEmpty || !settled.isEmpty, let id = try existing(row: row)?.id,
                relocated.contains(id) || settled.contains(id)
            {
                continue
            }
            try deleteOrHold(row: row)
        }
        try settle()
    }

    // MARK: Items of any folder

    mutating func apply(_ items: [Item]) throws {
        var parents: [ItemIdentifier: (row: Int64, generation: Int64)] = [:]
        var rest = items
        while !rest.isEmpty {
            var orphans: [Item] = []
            for item in rest {
                if item.parentID == nil || item.name == nil {
                    try applyTopFolder(item)
                    continue
                }
                guard let name = try check(item), let parentID = item.parentID else { continue }
                if try applyRelocated(item) { continue }
                if parents[parentID] == nil, let row = try transaction.row(of: parentID, domain) {
                    guard try checkFolder(row, of: parentID) else { continue }
                    let generation = try sql.first(
                        "SELECT generation FROM listing WHERE folder = ?", .int(row)
                    ) { $0.int(0) }
                    parents[parentID] = (row, generation ?? 0)
                }
                guard let parent = parents[parentID] else {
                    orphans.append(item)
                    continue
                }
                try applyCarefully(item, name, FoldedName(name).text, parent.row, parent.generation)
            }
            guard orphans.count < rest.count else {
                for orphan in orphans {
                    reject(
                        orphan.id, "lies in the folder “\(orphan.parentID?.rawValue ?? "")”, which nobody has told of")
                }
                break
            }
            rest = orphans
        }
        try settle()
    }

    private mutating func applyTopFolder(_ item: Item) throws {
        guard try transaction.row(of: item.id, domain) == domain.root else {
            return reject(item.id, "has no folder or no name, which only the top folder may lack")
        }
        try update(Metadata(item), kind: .folder, ofRow: domain.root, generation: 0)
        outcome.updated += 1
    }

    private mutating func check(_ item: Item) throws -> ItemName? {
        // Its provider has not heard yet that it was removed here.
        if try dropped().contains(item.id) { return nil }
        if settled.contains(item.id) {
            outcome.leftOut.append(item.id)
            return nil
        }
        guard let name = item.name else {
            reject(item.id, "has no name")
            return nil
        }
        guard item.parentID != item.id else {
            reject(item.id, "says that it lies in itself")
            return nil
        }
        guard !item.id.isArriving else {
            reject(item.id, "has an identifier of those that Docent gives what was made here")
            return nil
        }
        return name
    }

    func parent(of row: Int64) throws -> Int64? {
        try sql.first("SELECT parent FROM item WHERE row = ?", .int(row)) { $0.optionalInt(0) } ?? nil
    }

    mutating func reject(_ id: ItemIdentifier, _ reason: String) {
        outcome.rejected.append(
            (
                id,
                DocumentError(
                    .contractBroken,
                    "The provider of \(domain.name) told of the item “\(id)”, which \(reason): it is left out.",
                    itemID: id)
            ))
    }

    // MARK: One item

    mutating func applyCarefully(
        _ item: Item, _ name: ItemName, _ key: String, _ parent: Int64, _ generation: Int64
    ) throws {
        guard let existing = try existing(item.id) else {
            let holder = try self.holder(of: key, in: parent)
            let state = holder == nil ? 0 : Self.clash
            let statement = try sql.statement(Self.insertion)
            _ = try insert(item, name, key, parent, generation, state: state, statement)
            if holder != nil { outcome.clashes.append(item.id) }
            return
        }
        guard existing.row != domain.root else { return reject(item.id, "is the top folder, which lies in nothing") }
        try releaseHeld(existing.row)
        if existing.kind != item.kind {
            guard try canChangeKind(existing, to: item.kind) else {
                return reject(item.id, "became a \(item.kind) while its contents are here as a \(existing.kind)")
            }
            try count(existing.kind, -1)
            try count(item.kind, 1)
        }
        let before = outcome.updated
        let metadata = Metadata(item)
        if metadata != existing.metadata || existing.kind != item.kind || existing.isGone {
            try update(metadata, kind: item.kind, ofRow: existing.row, generation: generation)
            try followVersion(existing, metadata.content)
            outcome.updated += 1
        } else if existing.generation != generation {
            try sql.run("UPDATE item SET generation = ? WHERE row = ?", .int(generation), .int(existing.row))
        }
        let isRetold = metadata.isOther(than: existing.metadata) || existing.kind != item.kind || existing.isGone
        if try place(existing, item.id, name, key, parent) {
            if outcome.updated == before { outcome.updated += 1 }
            if reporting, !isRetold, !outcome.retold.contains(item.id) { outcome.moved.insert(item.id) }
        }
        // It may be told of more than once.
        if reporting, isRetold {
            outcome.retold.insert(item.id)
            outcome.moved.remove(item.id)
        }
        if outcome.updated == before { outcome.unchanged += 1 } else { try report(existing.row) }
    }

    /// Contents that are here become outdated, or current again.
    private func followVersion(_ existing: Existing, _ content: [UInt8]) throws {
        guard let synced = existing.synced else { return }
        let materialised = ItemRow.number(of: .materialised)
        let outdated = ItemRow.number(of: .outdated)
        guard existing.state == materialised || existing.state == outdated else { return }
        let state = synced == content ? materialised : outdated
        if state != existing.state {
            try sql.run("UPDATE item SET state = ? WHERE row = ?", .int(state), .int(existing.row))
        }
    }

    private func canChangeKind(_ existing: Existing, to kind: ItemKind) throws -> Bool {
        // What lies in a folder lies in it as well when it turns out to be a package (COORD-21).
        if existing.kind.isFolder, kind.isFolder { return true }
        guard existing.state == 0 || existing.state == Self.clash else { return false }
        return try sql.first("SELECT 1 FROM item WHERE parent = ? LIMIT 1", .int(existing.row)) { _ in true } == nil
    }

    mutating func report(_ row: Int64) throws {
        guard reporting, let item = try transaction.item(row: row, in: domain.name) else { return }
        outcome.changed.append(item)
    }

    /// Settles what is left when everything was applied.
    mutating func settle() throws {
        try settleWaiting()
        guard documents != 0 || folders != 0 else { return }
        try sql.run(
            "UPDATE domain SET documents = documents + ?, folders = folders + ? WHERE number = ?", .int(documents),
            .int(folders), .int(domain.number))
        (documents, folders) = (0, 0)
    }
}
