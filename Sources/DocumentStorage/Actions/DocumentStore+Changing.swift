package import DocumentModel
internal import Logging

extension DocumentStore {
    /// To be called before a coordinated write is granted: after a crash the item's file is looked at. What is there now is
    /// kept until the edit is sent (VER-13).
    ///
    /// - Parameter replacing: the contents need not be here: what lies in the item's place at the end, is what it is from
    ///   then on (COORD-19, COORD-21). The folders around it are there then. What was changed of it and not sent is kept as older
    ///   contents, as nobody need have looked at it (VER-7).
    package func expectChange(
        of id: ItemIdentifier, in domain: DomainName, replacing: Bool = false
    ) throws -> JournalEntry {
        var hasLooked = false
        while true {
            let (item, location, versions) = try index.read { index in
                let (item, location) = try index.located(id, in: domain)
                return (item, location, try index.keptVersions(of: item.id, in: domain))
            }
            // It is an edit of its own then, and what is kept is kept as that. Where it cannot be told, the write begins all the same;
            // and what somebody else is just writing is theirs.
            if !hasLooked, mayHoldAnEdit(item, at: location, replacing: replacing),
                try !index.read({ try $0.isChangeExpected(of: item.id, in: domain) })
            {
                hasLooked = true
                _ = try? recordChange(of: item.id, in: domain, givingUp: false)
                continue
            }
            var payload = JournalPayload()
            payload.place = location.components
            payload.file = item.local
            payload.base = item.synced ?? (replacing ? item.item.version : nil)
            payload.replacesContents = replacing
            if replacing, item.local == nil, let folder = location.parent { try tree.makeFolder(at: folder) }
            let base = keepBase(of: item, at: location, besides: versions)
            payload.isBaseKept = isBaseCertain(of: item, at: location, among: versions + (base.map { [$0] } ?? []))
            let unsent = try replacing ? keepUnsent(of: item, at: location, besides: versions) : nil
            let kept = [base, unsent].compactMap { $0 }
            let entry: JournalEntry? = try index.write(durably: false) { index in
                // It may have been sent meanwhile, or somebody else's base was dropped, or kept.
                guard try index.isStill(item, at: location), try index.keptVersions(of: item.id, in: domain) == versions
                else { return nil }
                for version in kept { try index.addKeptVersion(version, in: domain) }
                return try index.begin(.changeExpected, item: item.id, in: domain, payload: payload)
            }
            if let entry {
                try reached(.changeExpected)
                return entry
            }
            for version in kept { try root.versions.remove(version.kept) }
        }
    }

    /// To be called when the coordinated write has ended: the item is `changed` if its file is not what it was. What
    /// was written is on disk when the call returns.
    package func recordChange(_ entry: JournalEntry) throws -> IndexedItem {
        guard var id = entry.itemID else {
            throw DocumentError(.internal, "A change without an item was to be recorded.")
        }
        while true {
            if let now = try index.read({ try $0.subject(of: entry) }) { id = now }
            let known = try index.read { try $0.item(id, in: entry.domain) }
            do {
                while try !look(at: id, in: entry.domain, entry, givingUp: true) {}
                try reached(.changeRecorded)
                // It may have got another identifier since the entry was closed.
                let renamed = try index.read { index in
                    try known.flatMap { try index.item(row: $0.row, in: entry.domain) }
                }
                return try renamed ?? current(id, in: entry.domain)
            } catch let error as DocumentError where error.code == .noSuchItem {
                // It may have got another identifier in this moment.
                if let now = try index.read({ try $0.subject(of: entry) }), now != id { continue }
                // Nothing of it is left, and nothing to be looked at.
                try index.write(durably: false) { index in
                    if try index.item(id, in: entry.domain) == nil { try index.finish(entry) }
                }
                throw error
            }
        }
    }

    /// Makes what was written so far durable, the document itself, too. The write goes on. What was removed meanwhile is
    /// nobody's any more.
    package func flushChange(_ entry: JournalEntry) throws {
        // A folder around it may be moved just now.
        if try !flushFile(of: entry) { _ = try moves.exclusively { try flushFile(of: entry) } }
        if entry.payload.isNew {
            try moves.exclusively {
                if let around = try place(of: entry)?.parent?.parent { try tree.flushNames(in: around) }
            }
        }
        try index.flush()
    }

    /// Makes durable what names a folder has: what was made, renamed or removed in it.
    package func flushNames(of folder: ItemIdentifier, in domain: DomainName) throws {
        try moves.exclusively {
            if let location = try index.read({ try $0.diskLocation(of: folder, in: domain) }) {
                try tree.flushNames(in: location)
            }
        }
        try index.flush()
    }

    /// - Returns: false when there is no file at its place.
    private func flushFile(of entry: JournalEntry) throws -> Bool {
        guard let location = try place(of: entry) else { return false }
        return try tree.flush(location) != nil
    }

    private func place(of entry: JournalEntry) throws -> Location? {
        try index.read { index in
            try (index.subject(of: entry) ?? entry.itemID).flatMap { try index.diskLocation(of: $0, in: entry.domain) }
        }
    }

    /// Looks at an item's file outside a coordinated write: records a change that was made without asking.
    ///
    /// - Parameter givingUp: unsent changes whose file is gone are given up. Some programs remove a file and make it anew
    ///   when they save: for those who have waited for that.
    package func recordChange(
        of id: ItemIdentifier, in domain: DomainName, givingUp: Bool = true
    ) throws -> IndexedItem {
        while try !look(at: id, in: domain, nil, givingUp: givingUp) {}
        return try current(id, in: domain)
    }

    /// The same before the contents are to go: what may have been changed unseen is read (XFER-13).
    func recordChangeProving(of id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        while try !look(at: id, in: domain, nil, givingUp: true, isProving: true) {}
        return try current(id, in: domain)
    }

    /// - Parameter isProving: that nobody has touched it since it was looked at is not enough, where it can be read and compared.
    /// - Returns: false when the item was changed in the index since it was read: it is to be looked at once more.
    private func look(
        at id: ItemIdentifier, in domain: DomainName, _ entry: JournalEntry?, givingUp: Bool, isProving: Bool = false
    ) throws -> Bool {
        let (item, location) = try locate(id, in: domain)
        let file = try tree.file(at: location)
        let seen = file.map { file in item.local.map { Touch(of: file, since: $0) } ?? .changed }
        let isUntouched = seen.map { $0 == .none || $0 == .linked } ?? (item.local == nil)
        let isToBeRead = item.proof.digest != nil && (seen == .linked || isProving && !isProven(file, item))
        let isRead = try !isUntouched || isToBeRead ? hasSyncedContents(file, item, at: location) : false
        let isSame = try isRead || isUntouched && !isToBeRead || hasBaseContents(file, item, at: location, entry)
        // On a disk that is full there is no room to write down what is written down already.
        let isKnown = file == item.local && (!isRead || file.map { item.proof.holds(for: $0) } ?? false)
        if isSame, entry == nil, isKnown {
            return true
        } else if isSame {
            let isNew = entry?.payload.isNew == true
            // Nothing was written to it, and it is not on disk yet for all that; or nothing but attributes.
            if isNew || !isUntouched, try tree.flush(location) != nil, isNew {
                try tree.flushFolders(around: location)
            }
            let stamped = isRead ? restamp(file, item, at: location) : nil
            return try index.write(durably: isNew) { index in
                guard try index.isStill(item, at: location) else { return false }
                if let file = stamped ?? file {
                    try isRead ? index.setProven(file, of: id, in: domain) : index.setFile(file, of: id, in: domain)
                }
                guard let entry else { return true }
                try index.finish(entry)
                if !item.isUnsent, try !index.isChangeExpected(of: item.id, in: domain) {
                    try dropBases(of: item, index)
                }
                return true
            }
        } else if item.local == nil, let entry, entry.payload.replacesContents {
            return try recordReplaced(item, at: location, entry)
        } else if item.local == nil {
            // No contents were here: what lies there now is not the item's, and is neither sent nor removed.
            let isStill = try index.write(durably: false) { index in
                guard try index.isStill(item, at: location) else { return false }
                if let entry { try index.finish(entry) }
                return true
            }
            guard isStill else { return false }
            throw DocumentError(
                .destinationExists,
                "A file lies at \(tree.path(of: location)), where the item has no contents: move it elsewhere.")
        } else if let flushed = try tree.flush(location) {
            try refuseAnothers(item, at: location)
            if entry?.payload.isNew == true { try tree.flushFolders(around: location) }
            return try index.write { index in
                // An earlier change may have been acknowledged since it was looked at: this one was not.
                guard try index.isStill(item, at: location) else { return false }
                try index.setFile(flushed, of: id, in: domain)
                if !item.isUnsent { try index.setState(.changed, of: id, in: domain) }
                if let entry { try index.finish(entry) }
                return true
            }
        } else {
            guard givingUp || !item.isUnsent else { return true }
            // A folder around it may be moved just now.
            let missing = try moves.exclusively { () -> MissingFile? in
                guard try tree.file(at: location) == nil else { return nil }
                return try recordInIndex(item, missingAt: location, entry)
            }
            return try follow(missing)
        }
    }

    /// New contents were written where none were: they began from what the remote had when that was allowed, so that what
    /// it gets meanwhile shows as a conflict.
    ///
    /// - Returns: false when the item was changed in the index since it was read; nothing is done then.
    private func recordReplaced(_ item: IndexedItem, at location: Location, _ entry: JournalEntry) throws -> Bool {
        guard let flushed = try tree.flush(location) else { return false }
        try tree.flushFolders(around: location)
        return try index.write { index in
            guard try index.isStill(item, at: location) else { return false }
            try index.setMaterialised(
                item.id, in: item.domain, version: entry.payload.base ?? item.item.version, file: flushed,
                state: .changed)
            try index.finish(entry)
            return true
        }
    }

    /// The file was removed here, and not the item: it is a placeholder again. Of what its provider does not know yet nothing
    /// is left, anywhere.
    ///
    /// - Returns: false when the item was changed in the index since it was read; nothing is done then.
    func recordMissing(_ item: IndexedItem, at location: Location) throws -> Bool {
        try follow(recordInIndex(item, missingAt: location, nil))
    }

    /// What is to follow when a file is known to be missing: not while a move is kept from beginning, which it may be.
    private enum MissingFile {
        case placeholder(IndexedItem)
        case gone(ApplyOutcome)
    }

    private func follow(_ missing: MissingFile?) throws -> Bool {
        switch missing {
        case .placeholder(let item): refreshPlaceholder(item.id, in: item.domain)
        // What waited for its name has it now, and moves when nobody uses it.
        case .gone(let outcome): try follow(outcome)
        case nil: return false
        }
        return true
    }

    /// - Returns: nil when the item was changed in the index since it was read; nothing is done then.
    private func recordInIndex(
        _ item: IndexedItem, missingAt location: Location, _ entry: JournalEntry?
    ) throws -> MissingFile? {
        if item.isArriving { return try recordGone(item, at: location, entry).map { .gone($0) } }
        // Of a conflict the other side is left, and nothing to be decided.
        let sides = try item.state == .conflict ? conflictsAsBases(of: item) : []
        let isStill = try index.write { index in
            guard try index.isStill(item, at: location) else { return false }
            for var side in sides {
                side.role = .older
                try index.addKeptVersion(side, in: item.domain)
            }
            for conflict in try index.conflicts(in: item.domain) where conflict.itemID == item.id {
                try index.removeConflict(number: conflict.number)
            }
            try index.setPlaceholder(item.id, in: item.domain)
            if item.isUnsent {
                let error = DocumentError(
                    .localStorage,
                    "Its file was removed here while it had unsent changes: the provider's contents stand.")
                try index.setProblem(error, of: item.id, in: item.domain)
            }
            if let entry { try index.finish(entry) }
            return true
        }
        return isStill ? .placeholder(item) : nil
    }

    private func recordGone(
        _ item: IndexedItem, at location: Location, _ entry: JournalEntry?
    ) throws -> ApplyOutcome? {
        let outcome: ApplyOutcome? = try index.write { index in
            guard try index.isStill(item, at: location) else { return nil }
            let outcome = try index.deleteCleared(item.id, in: item.domain)
            if let entry { try index.finish(entry) }
            return outcome
        }
        guard outcome != nil else { return nil }
        logger.notice(
            "a new document was removed here before it was sent",
            metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "location": "\(location)"])
        return outcome
    }
}

extension IndexReader {
    /// Whether an item's file is where and as it was when the item was read, as far as the index knows, and so are the
    /// item's state and base. Who has looked at the file asks it inside of the transaction that says what was found.
    func isStill(_ item: IndexedItem, at location: Location) throws -> Bool {
        guard let now = try self.item(item.id, in: item.domain) else { return false }
        return try now.local == item.local && now.state == item.state && now.synced == item.synced
            && diskLocation(of: item.id, in: item.domain) == location
    }
}
