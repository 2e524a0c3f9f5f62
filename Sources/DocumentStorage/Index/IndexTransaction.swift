package import DocumentModel

/// What can be changed in the index, in one transaction.
package final class IndexTransaction: IndexReader {
    /// What is told of when it is committed.
    private(set) var presence: Set<PresenceNews> = []
    /// Items that have other identifiers, in the order in which they got them.
    private(set) var identities: [IdentityNews] = []
    private(set) var touched = WriteLog.Touched.anything

    /// What was written is of one document, and nothing that is looked up with another item: to be called when all is written.
    func touchesOnly(_ item: IndexedItem) {
        touched = .document(TouchedDocument(domain: item.domain, id: item.id))
    }

    // MARK: Domains

    package func addDomain(_ domain: DomainRecord) throws {
        guard try self.domain(domain.name) == nil else {
            throw DocumentError(
                .destinationExists, "There is a domain “\(domain.name)” already: choose another name, or remove it.")
        }
        try sql.run(
            "INSERT INTO domain (name, provider, root_id, anchor, sign_in) VALUES (?, ?, ?, ?, ?)",
            .text(domain.name.rawValue), .text(domain.provider.rawValue), .text(domain.rootID.rawValue),
            SQLValue(domain.anchor?.bytes), .int(Int64(domain.signIn.rawValue)))
        let number = sql.lastInsertedRow
        try makeRoot(domain.rootID, of: number)
        try setSettings(domain.settings, of: number)
    }

    private func makeRoot(_ id: ItemIdentifier, of domain: Int64) throws {
        try sql.run(
            """
            INSERT INTO item (domain, id, name, name_key, kind, type, modified, modified_ns, created, created_ns,
                content, metadata, capabilities)
            VALUES (?, ?, '', '', 1, ?, 0, 0, 0, 0, x'', x'', ?)
            """, .int(domain), .text(id.rawValue), .text(ContentType.folder.identifier),
            .int(Int64(ItemCapabilities.all.rawValue)))
        try sql.run("UPDATE domain SET root = ? WHERE number = ?", .int(sql.lastInsertedRow), .int(domain))
        forgetReference()
    }

    /// Provider, top folder, settings, anchor and sign-in.
    package func updateDomain(_ domain: DomainRecord) throws {
        let own = try reference(to: domain.name)
        try sql.run(
            "UPDATE domain SET provider = ?, root_id = ?, anchor = ?, sign_in = ? WHERE number = ?",
            .text(domain.provider.rawValue), .text(domain.rootID.rawValue), SQLValue(domain.anchor?.bytes),
            .int(Int64(domain.signIn.rawValue)), .int(own.number))
        if let row = try row(of: domain.rootID, own), row != own.root {
            throw DocumentError(
                .contractBroken,
                "The provider of \(domain.name) names an item as its top folder that it told of as an item within: “\(domain.rootID)”."
            )
        }
        try sql.run("UPDATE item SET id = ? WHERE row = ?", .text(domain.rootID.rawValue), .int(own.root))
        forgetReference()
        try sql.run("DELETE FROM domain_setting WHERE domain = ?", .int(own.number))
        try setSettings(domain.settings, of: own.number)
    }

    private func setSettings(_ settings: [String: String], of domain: Int64) throws {
        for (name, value) in settings {
            try sql.run("INSERT INTO domain_setting VALUES (?, ?, ?)", .int(domain), .text(name), .text(value))
        }
    }

    package func setSignIn(_ signIn: DomainRecord.SignIn, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("UPDATE domain SET sign_in = ? WHERE number = ?", .int(Int64(signIn.rawValue)), .int(own.number))
    }

    /// All its items, entries and conflicts go. The domain stays, with its settings, rules and bookmarks.
    package func emptyDomain(_ name: DomainName) throws {
        let own = try reference(to: name)
        guard let domain = try domain(name) else { return }
        let tables = [
            "journal", "conflict", "kept_version", "own_side", "remote_side", "removal_watch", "arrived", "partial",
            "trash", "remote_quota", "item",
        ]
        for table in tables {
            try sql.run("DELETE FROM \(table) WHERE domain = ?", .int(own.number))
        }
        try sql.run("UPDATE domain SET anchor = NULL, documents = 0, folders = 0 WHERE number = ?", .int(own.number))
        try makeRoot(domain.rootID, of: own.number)
    }

    /// With all its items, entries and conflicts.
    package func removeDomain(_ name: DomainName) throws {
        let own = try reference(to: name)
        try sql.run("DELETE FROM item WHERE domain = ?", .int(own.number))
        try sql.run("DELETE FROM domain WHERE number = ?", .int(own.number))
        forgetReference()
    }

    package func setAnchor(_ anchor: SyncAnchor?, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("UPDATE domain SET anchor = ? WHERE number = ?", SQLValue(anchor?.bytes), .int(own.number))
    }

    /// The same for whoever has read on from a point in the feed: an anchor that was set back meanwhile stays there.
    ///
    /// - Returns: whether it was still the one that is expected.
    package func setAnchor(
        _ anchor: SyncAnchor?, of domain: DomainName, ifStill expected: SyncAnchor?
    ) throws -> Bool {
        guard try self.domain(domain)?.anchor == expected else { return false }
        try setAnchor(anchor, of: domain)
        return true
    }

    // MARK: What the provider tells

    /// Items outside a listing: one that was looked up, or the answer to create and modify.
    package func apply(
        _ items: [Item], in domain: DomainName, leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.settled = settled
        try applier.apply(items)
        return applier.outcome
    }

    /// An item at a place that somebody here gives it, whatever its provider has told.
    func place(_ item: Item, in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.heedsRelocations = false
        try applier.apply([item])
        return applier.outcome
    }

    /// One page of changes, with the anchor that it leads to: the tree and the anchor in one transaction.
    ///
    /// - Parameters:
    ///   - since: the anchor that they follow; when it was set back meanwhile, it stays there. Nil: whatever it was.
    ///   - holding: what is gone is only written down, see ``settleHeldRemovals(of:judge:)``.
    ///   - settled: items of which they tell what was before.
    package func apply(
        _ changes: ItemChanges, in domain: DomainName, since: SyncAnchor? = nil, holding: Bool = false,
        leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        applier.isHolding = holding
        applier.settled = settled
        // First what is new, so that what was moved out of a folder does not go with it.
        try applier.apply(changes.updated)
        try applier.delete(changes.deleted)
        if let since {
            _ = try setAnchor(changes.anchor, of: domain, ifStill: since)
        } else {
            try setAnchor(changes.anchor, of: domain)
        }
        return applier.outcome
    }

    /// Begins a full listing of a folder, and returns its generation.
    package func beginListing(of folder: ItemIdentifier, in domain: DomainName) throws -> Int64 {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        try sql.run(
            """
            INSERT INTO listing (folder, generation, under_way, complete, next) VALUES (?, 1, 1, 0, NULL)
            ON CONFLICT (folder) DO UPDATE SET generation = generation + 1, under_way = 1, next = NULL
            """, .int(row))
        return try listing(of: folder, in: domain).generation
    }

    /// One page of it. With the last page (`next` is nil) what was not seen in it is deleted, and the listing is
    /// complete.
    ///
    /// - Throws: `pageExpired` when another listing of the folder has begun since.
    package func apply(
        _ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64, reporting: Bool = false,
        holding: Bool = false, leavingOut settled: Set<ItemIdentifier> = []
    ) throws -> ApplyOutcome {
        let own = try reference(to: domain)
        let row = try knownRow(of: folder, own)
        let current = try sql.first(
            "SELECT generation FROM listing WHERE folder = ? AND under_way = 1", .int(row)
        ) { $0.int(0) }
        guard current == generation else {
            throw DocumentError(
                .pageExpired, "The listing of “\(folder)” was overtaken by another one: list the folder again.")
        }
        var applier = ItemApplier(self, own, reporting: reporting)
        applier.isHolding = holding
        applier.settled = settled
        try applier.apply(page.items, ofFolder: row, folder, generation: generation)
        if !reporting, let first = applier.firstInserted { try noteDuePlaceholders(from: first) }
        if let next = page.next {
            try sql.run("UPDATE listing SET next = ? WHERE folder = ?", .blob(next.bytes), .int(row))
        } else {
            try applier.deleteUnseen(inFolder: row, generation: generation)
            try sql.run("UPDATE listing SET complete = 1, under_way = 0, next = NULL WHERE folder = ?", .int(row))
        }
        return applier.outcome
    }

    /// - Parameter holding: they are only written down, see ``settleHeldRemovals(of:judge:)``.
    package func delete(
        _ ids: [ItemIdentifier], in domain: DomainName, holding: Bool = false
    ) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: false)
        applier.isHolding = holding
        try applier.delete(ids)
        return applier.outcome
    }

    /// Removes rows whose contents are cleared from the tree.
    func deleteCleared(_ id: ItemIdentifier, in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        try applier.deleteCleared(id)
        return applier.outcome
    }

    /// Takes a move back that the tree on disk refused.
    ///
    /// - Returns: false when it cannot be taken back: what was changed until then is to be rolled back.
    func revertMove(_ entry: JournalEntry) throws -> Bool {
        guard let id = entry.itemID, let place = entry.payload.place else { return true }
        var applier = ItemApplier(self, try reference(to: entry.domain), reporting: false)
        guard try applier.canTakeBack(entry), try applier.revertMove(of: id, to: place) else { return false }
        // Where it was to go from there it goes from here, when it can.
        for later in try journal(of: id, in: entry.domain) where later.id > entry.id && later.step == .renameRecorded {
            try finish(later)
        }
        return true
    }

    /// Tries again to give items the places that they want.
    func retryWanted(in domain: DomainName) throws -> ApplyOutcome {
        var applier = ItemApplier(self, try reference(to: domain), reporting: true)
        try applier.retryWanted()
        return applier.outcome
    }

    /// An item that was made anew at the provider has another identifier there, and is the same one here.
    func rename(_ id: ItemIdentifier, to newID: ItemIdentifier, in domain: DomainName) throws {
        let own = try reference(to: domain)
        // What the feed has told of the new one already is nothing but a row without contents.
        if id != newID, let known = try item(newID, in: domain) {
            guard known.local == nil, known.item.kind == .document else {
                throw DocumentError(
                    .contractBroken, "The provider of \(domain) made an item anew and named it like another one.",
                    itemID: newID)
            }
            _ = try delete([newID], in: domain)
        }
        try update("id = ?", .text(newID.rawValue), of: id, in: domain)
        try noteArrival(of: id, as: newID, own)
        if id != newID { identities.append(IdentityNews(domain: domain, former: id, id: newID)) }
        if try item(newID, in: domain)?.item.kind != .document {
            try renameInRelocations(id, to: newID, in: domain)
            // Who watches it knows it by its former identifier.
            if try hasContents(newID, in: domain) {
                presence.insert(PresenceNews(domain: domain, folder: newID, isHere: true))
            }
        }
        try sql.run(
            "UPDATE conflict SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue), .int(own.number),
            .text(id.rawValue))
        // Whoever writes to it meanwhile ends that under its new identifier.
        try sql.run(
            "UPDATE journal SET item = ? WHERE domain = ? AND item = ?", .text(newID.rawValue), .int(own.number),
            .text(id.rawValue))
        try renameInBookmarks(id, to: newID, own)
        try renameInVersions(id, to: newID, own.number)
        try renameInSides(id, to: newID, own.number)
    }

    /// A folder that is gone at the provider was made anew there, and is the same one here.
    func revive(_ id: ItemIdentifier, as newID: ItemIdentifier, in domain: DomainName) throws {
        let own = try reference(to: domain)
        let row = try knownRow(of: id, own)
        if id != newID, try item(newID, in: domain) != nil {
            // A folder of its own by now, with what is in it here: what is sent into it goes there.
            if try holdsMoreThanTold(newID, in: domain) { return }
            // What is known of the other one is told anew, of this one.
            _ = try delete([newID], in: domain)
        }
        try update("id = ?", .text(newID.rawValue), of: id, in: domain)
        try noteArrival(of: id, as: newID, own)
        if id != newID { identities.append(IdentityNews(domain: domain, former: id, id: newID)) }
        // It may have been moved here while it was made there.
        try sql.run(
            "UPDATE journal SET item = ? WHERE domain = ? AND item = ? AND action = 'relocate'", .text(newID.rawValue),
            .int(own.number), .text(id.rawValue))
        try renameInRelocations(id, to: newID, in: domain)
        try renameInBookmarks(id, to: newID, own)
        // Nothing is known of what is in it there.
        try sql.run("DELETE FROM listing WHERE folder = ?", .int(row))
    }

    // MARK: States

    package func setState(_ state: ItemState, of id: ItemIdentifier, in domain: DomainName) throws {
        try update("state = ?", .int(ItemRow.number(of: state)), of: id, in: domain)
    }

    /// The contents of a version are here; what was wrong before is over.
    ///
    /// - Parameter digest: of the version's contents, where somebody has read them.
    package func setMaterialised(
        _ id: ItemIdentifier, in domain: DomainName, version: ItemVersion, file: FileIdentity, state: ItemState,
        digest: [UInt8]? = nil
    ) throws {
        try notePresence(of: id, in: domain, isHere: true)
        let proven = state == .materialised || state == .outdated ? file.changed : nil
        try update(
            Self.fileColumns + """
                , state = ?, synced_content = ?, synced_metadata = ?, problem_code = NULL, problem = NULL, digest = ?,
                proven = ?, proven_ns = ?
                """,
            Self.values(of: file) + [
                .int(ItemRow.number(of: state)), .blob(version.content), .blob(version.metadata), SQLValue(digest),
                SQLValue(proven?.seconds), SQLValue(proven.map { Int64($0.nanoseconds) }),
            ], of: id, in: domain)
    }

    /// A file, as it was seen, has the contents of the version that both sides agreed on.
    func setProven(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try recordFile(file, of: id, in: domain)
        try update(
            "proven = ?, proven_ns = ?", .int(file.changed.seconds), .int(Int64(file.changed.nanoseconds)), of: id,
            in: domain)
    }

    /// Somebody has read the contents of that version.
    func setDigest(_ digest: [UInt8], of id: ItemIdentifier, in domain: DomainName) throws {
        try update("digest = ?", .blob(digest), of: id, in: domain)
    }

    /// A file turns out to be an item's contents, of some version.
    func adopt(_ file: FileIdentity, of item: IndexedItem, version: [UInt8], isChanged: Bool) throws {
        let isCurrent = version == item.item.version.content
        try setMaterialised(
            item.id, in: item.domain, version: isCurrent ? item.item.version : try ItemVersion(content: version),
            file: file, state: isChanged ? .changed : isCurrent ? .materialised : .outdated)
    }

    /// The contents are gone.
    package func setPlaceholder(_ id: ItemIdentifier, in domain: DomainName) throws {
        try notePresence(of: id, in: domain, isHere: false)
        try update(
            """
            state = 0, synced_content = NULL, synced_metadata = NULL, local_inode = NULL, local_size = NULL,
            local_modified = NULL, local_modified_ns = NULL, local_changed = NULL, local_changed_ns = NULL,
            digest = NULL, proven = NULL, proven_ns = NULL
            """, of: id, in: domain)
    }

    /// A document's file has got another name. That changes the inode's time only: what is recorded of the contents stays.
    ///
    /// - Parameter before: what it was when it was given that name; nil where nobody knows, as when a program did. What had
    ///   been done to it by then is for the next look, which reads it.
    func setRenamed(
        _ file: FileIdentity, from before: FileIdentity?, of id: ItemIdentifier, in domain: DomainName
    ) throws {
        guard let item = try item(id, in: domain), var known = item.local, known.inode == file.inode else { return }
        let wasUntouched = before?.isUntouched(since: known) == true
        // Without a digest nobody could tell, where it is not known either what it was before.
        let isUnknown = item.proof.digest == nil && before == nil
        if wasUntouched || item.isUnsent || isUnknown { known.changed = file.changed }
        try setFile(known, of: id, in: domain)
    }

    /// The file was seen on disk.
    package func setFile(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try notePresence(of: id, in: domain, isHere: true)
        try recordFile(file, of: id, in: domain)
    }

    private func recordFile(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try update(Self.fileColumns, Self.values(of: file), of: id, in: domain)
    }

    private static let fileColumns = """
        local_inode = ?, local_size = ?, local_modified = ?, local_modified_ns = ?, local_changed = ?,
        local_changed_ns = ?
        """

    private static func values(of file: FileIdentity) -> [SQLValue] {
        [
            .int(Int64(bitPattern: file.inode)), .int(file.size), .int(file.modified.seconds),
            .int(Int64(file.modified.nanoseconds)), .int(file.changed.seconds), .int(Int64(file.changed.nanoseconds)),
        ]
    }

    /// To be called before the row is written: mostly the item was looked up just now.
    private func notePresence(of id: ItemIdentifier, in domain: DomainName, isHere: Bool) throws {
        if let folder = try item(id, in: domain)?.item.parentID {
            presence.insert(PresenceNews(domain: domain, folder: folder, isHere: isHere))
        }
    }

    package func setPinned(_ pinned: Bool, of id: ItemIdentifier, in domain: DomainName) throws {
        try update("pinned = ?", .int(pinned ? 1 : 0), of: id, in: domain)
    }

    /// What went wrong with it last; nil when nothing is wrong any more.
    package func setProblem(_ error: DocumentError?, of id: ItemIdentifier, in domain: DomainName) throws {
        try update(
            "problem_code = ?, problem = ?", SQLValue(error.map { Int64($0.code.rawValue) }),
            SQLValue(error?.message), of: id, in: domain)
    }

    private func update(_ what: String, _ values: SQLValue..., of id: ItemIdentifier, in domain: DomainName) throws {
        try update(what, values, of: id, in: domain)
    }

    private func update(
        _ what: String, _ values: [SQLValue], of id: ItemIdentifier, in domain: DomainName
    ) throws {
        let own = try reference(to: domain)
        let statement = try sql.statement("UPDATE item SET \(what) WHERE domain = ? AND id = ?")
        try statement.bind(values + [.int(own.number), .text(try known(id, own).rawValue)])
        while try statement.step() {}
        guard sql.changesCount == 1 else { throw Self.unknown(id, domain) }
    }

    // MARK: Journal

    /// Writes an action down, with the step that is true once this transaction is committed.
    package func begin(
        _ step: JournalStep, item: ItemIdentifier?, in domain: DomainName, payload: JournalPayload
    ) throws -> JournalEntry {
        let own = try reference(to: domain)
        try sql.run(
            "INSERT INTO journal (action, step, domain, item, payload) VALUES (?, ?, ?, ?, ?)",
            .text(step.action.rawValue), .text(step.rawValue), .int(own.number), SQLValue(item?.rawValue),
            .blob(payload.bytes))
        return JournalEntry(
            id: sql.lastInsertedRow, action: step.action, step: step, domain: domain, itemID: item, payload: payload)
    }

    package func advance(_ entry: JournalEntry, to step: JournalStep) throws -> JournalEntry {
        var entry = entry
        entry.step = step
        try sql.run(
            "UPDATE journal SET step = ?, item = ?, payload = ? WHERE number = ?", .text(step.rawValue),
            SQLValue(entry.itemID?.rawValue), .blob(entry.payload.bytes), .int(entry.id))
        guard sql.changesCount == 1 else {
            throw DocumentError(.internal, "The journal entry \(entry.id) is closed already.")
        }
        return entry
    }

    package func finish(_ entry: JournalEntry) throws {
        try sql.run("DELETE FROM journal WHERE number = ?", .int(entry.id))
    }

    // MARK: Conflicts

    /// - Returns: the conflict's number.
    @discardableResult
    package func addConflict(_ conflict: ConflictRecord, in domain: DomainName) throws -> Int64 {
        let own = try reference(to: domain)
        try sql.run(
            """
            INSERT INTO conflict
                (domain, item, remote_content, remote_metadata, base_content, base_metadata, kept, reason, device)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .int(own.number), .text(conflict.itemID.rawValue), .blob(conflict.remote.content),
            .blob(conflict.remote.metadata), SQLValue(conflict.base?.content), SQLValue(conflict.base?.metadata),
            .text(conflict.kept), .text(conflict.reason), .text(conflict.device))
        return sql.lastInsertedRow
    }

    package func removeConflict(number: Int64) throws {
        try sql.run("DELETE FROM conflict WHERE number = ?", .int(number))
    }
}
