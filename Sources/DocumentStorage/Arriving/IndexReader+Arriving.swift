package import DocumentModel

extension IndexReader {
    /// What an item is called by now that was made here: whoever knows it by its first identifier still finds it.
    func known(_ id: ItemIdentifier, _ own: DomainReference) throws -> ItemIdentifier {
        guard id.isArriving else { return id }
        return try sql.first(
            "SELECT item FROM arrived WHERE domain = ? AND id = ?", .int(own.number), .text(id.rawValue)
        ) { try ItemIdentifier($0.text(0)) } ?? id
    }

    /// Whether an item that was made here is known under another identifier by now, or was before it went.
    func hasArrived(_ id: ItemIdentifier, in domain: DomainName) throws -> Bool {
        try sql.first(
            "SELECT 1 FROM arrived WHERE domain = ? AND id = ?", .int(reference(to: domain).number),
            .text(id.rawValue)
        ) { _ in true } ?? false
    }

    /// Folders that were made here, and that their provider does not know yet; of all domains when it is nil, those
    /// around others first.
    package func arrivingFolders(of domain: DomainName?) throws -> [IndexedItem] {
        let domains = try domain.map { [$0] } ?? domains().map(\.name)
        return try domains.flatMap { domain in
            let range = ItemIdentifier.arrivingRange
            return try sql.all(
                ItemRow.columns
                    + " WHERE item.domain = ? AND item.id >= ? AND item.id < ? AND item.kind <> 0 ORDER BY item.row",
                .int(reference(to: domain).number), .text(range.from), .text(range.to)
            ) { try ItemRow.read($0, domain: domain) }
        }
    }
}

extension IndexTransaction {
    /// Its provider has made it, and knows it by another identifier from now on.
    func noteArrival(of id: ItemIdentifier, as newID: ItemIdentifier, _ own: DomainReference) throws {
        guard id != newID, let row = try row(of: newID, own) else { return }
        // A listing that is under way may have been answered before it was there: not to be in it says nothing.
        try sql.run(
            """
            UPDATE item SET generation = max(generation,
                coalesce((SELECT listing.generation FROM listing WHERE listing.folder = item.parent), 0))
            WHERE row = ?
            """, .int(row))
        try sql.run("DELETE FROM held_removal WHERE row = ? AND side = 0", .int(row))
        guard id.isArriving else { return }
        try sql.run(
            "INSERT OR REPLACE INTO arrived (domain, id, item) VALUES (?, ?, ?)", .int(own.number), .text(id.rawValue),
            .text(newID.rawValue))
    }

    func moveArriving(
        _ id: ItemIdentifier, to parent: ItemIdentifier, name: ItemName, in domain: DomainName
    ) throws -> ApplyOutcome {
        let own = try reference(to: domain)
        var applier = ItemApplier(self, own, reporting: true)
        try applier.perform(
            ItemApplier.WaitingMove(
                row: knownRow(of: id, own), id: id, parent: knownRow(of: parent, own), name: name,
                key: FoldedName(name).text))
        try applier.settle()
        return applier.outcome
    }

    /// Nobody knows them by their first identifiers any more: the host has just begun.
    ///
    /// - Parameter copies: what files say that they are that belong to no item. Those of items that are known, or were, are
    ///   remembered for as long as there are such files: at no start are these to count as just made.
    func forgetArrivals(but copies: [(domain: DomainName, id: ItemIdentifier)] = []) throws {
        var kept: [(domain: Int64, id: ItemIdentifier, item: ItemIdentifier)] = []
        for (domain, id) in copies {
            guard try item(id, in: domain) != nil || hasArrived(id, in: domain) else { continue }
            let own = try reference(to: domain)
            kept.append((own.number, id, try known(id, own)))
        }
        try sql.run("DELETE FROM arrived")
        for copy in kept {
            try sql.run(
                "INSERT OR REPLACE INTO arrived (domain, id, item) VALUES (?, ?, ?)", .int(copy.domain),
                .text(copy.id.rawValue), .text(copy.item.rawValue))
        }
    }

    /// Takes items into the index that were made here, and that are to be sent.
    ///
    /// - Parameters:
    ///   - parts: folders before what lies in them; the first one lies in `parent` under `name`.
    ///   - id: of the first one.
    ///   - findsPackages: folders whose names say so are packages: they arrive whole.
    ///   - file: what lies at a part's place in the tree.
    func insertArrival(
        _ parts: [CopiedPart], in parent: ItemIdentifier, named name: ItemName, of domain: DomainName,
        as id: ItemIdentifier, findsPackages: Bool = false, file: (CopiedPart) throws -> FileIdentity
    ) throws {
        let own = try reference(to: domain)
        var rows: [[ItemName]: Int64] = [:]
        var counts: (documents: Int64, folders: Int64) = (0, 0)
        for part in parts {
            let ownName = part.path.last ?? name
            let around =
                try part.path.isEmpty ? knownRow(of: parent, own) : rows[part.path.dropLast()].unwrapped(part.path)
            let partID = part.path.isEmpty ? id : try ItemIdentifier.makeArriving()
            let found = part.file == nil ? nil : try file(part)
            let kind = findsPackages && part.kind == .folder ? ItemKind(ofFolderNamed: ownName) : part.kind
            // A document has a content version; this one is nobody else's.
            let version = try ItemVersion(content: found == nil ? [] : Array(partID.rawValue.utf8))
            try sql.run(
                """
                INSERT INTO item (domain, id, parent, name, name_key, kind, type, size, modified, modified_ns, created,
                    created_ns, content, metadata, capabilities, state)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, x'', ?, 0)
                """, .int(own.number), .text(partID.rawValue), .int(around), .text(ownName.rawValue),
                .text(FoldedName(ownName).text), .int(ItemRow.number(of: kind)),
                .text(ContentType(kind: kind, pathExtension: ownName.pathExtension).identifier),
                SQLValue(found?.size), .int(found?.modified.seconds ?? 0),
                .int(Int64(found?.modified.nanoseconds ?? 0)), .blob(version.content),
                .int(Int64(ItemCapabilities.all.rawValue)))
            let row = sql.lastInsertedRow
            rows[part.path] = row
            if let found {
                counts.documents += 1
                try setMaterialised(partID, in: domain, version: version, file: found, state: .changed)
            } else {
                counts.folders += 1
                // Nobody else knows what is in it.
                try sql.run(
                    "INSERT INTO listing (folder, generation, under_way, complete, next) VALUES (?, 0, 0, 1, NULL)",
                    .int(row))
            }
        }
        try sql.run(
            "UPDATE domain SET documents = documents + ?, folders = folders + ? WHERE number = ?",
            .int(counts.documents), .int(counts.folders), .int(own.number))
    }
}

extension Int64? {
    fileprivate func unwrapped(_ path: [ItemName]) throws -> Int64 {
        guard let self else {
            throw DocumentError(.internal, "“\(path.last?.rawValue ?? "")” was to be in a folder that is not there.")
        }
        return self
    }
}
