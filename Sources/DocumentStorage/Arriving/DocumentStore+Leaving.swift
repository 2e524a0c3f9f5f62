package import DocumentModel
internal import Logging

/// Moving out (CONT-9): a copy is safe elsewhere; then the item is removed at the provider. Killed in between, both are
/// there, and the removal is carried on.
extension DocumentStore {
    /// - Parameters:
    ///   - path: where the copy is, for messages.
    ///   - parts: what was copied.
    ///   - judge: as of ``admitRemoval(of:in:recursive:discardingEdits:judge:)``; nil for what nobody is asked about. What waits for
    ///     a yes is written down with the entry, in one: with an entry alone it would go after a start.
    package func beginLeaving(
        _ id: ItemIdentifier, in domain: DomainName, copiedTo path: String, _ parts: [CopiedPart],
        judge: ((RemovalLoad, inout RemovalWatchRecord) -> RemovalVerdict)? = nil
    ) throws -> (entry: JournalEntry, verdict: RemovalVerdict) {
        let (item, location) = try locate(id, in: domain)
        var payload = JournalPayload()
        payload.place = location.components
        payload.kind = item.item.kind
        payload.base = item.synced
        payload.source = Array(path.utf8)
        payload.parts = parts
        let begun = try index.write { index in
            // One that waits is begun anew with another copy: a no to this one is no to both.
            for entry in try index.journal(of: id, in: domain) where entry.action == .leave {
                try index.finish(entry)
                try index.forgetPostponed(entry)
            }
            let verdict = try judge.map {
                try index.admitRemoval(
                    of: id, in: domain, recursive: item.item.kind != .document, discardingEdits: false, judge: $0)
            }
            return (try index.begin(.leaveBegan, item: id, in: domain, payload: payload), verdict ?? .carryOut)
        }
        try reached(.leaveBegan)
        return begun
    }

    /// Nothing of it is left.
    package func finishLeaving(_ entry: JournalEntry) throws {
        try index.write { try $0.finish(entry) }
        try reached(.leaveFinished)
    }

    /// Somebody does not want it removed any more: it stays, and so does the copy.
    package func forgetLeaving(_ entry: JournalEntry) throws {
        try index.write { index in
            try index.finish(entry)
            try index.forgetPostponed(entry)
        }
        try reached(.leaveFinished)
    }

    /// What is left of it stays, and so does the copy; the item says so.
    ///
    /// - Parameter hasCopy: whether there still is one.
    package func abandonLeaving(
        _ entry: JournalEntry, because error: DocumentError, hasCopy: Bool = true
    ) throws {
        let copy = String(decoding: entry.payload.source ?? [], as: UTF8.self)
        let rest = hasCopy ? " A copy is at \(copy)." : ""
        try index.write { index in
            try index.finish(entry)
            guard let id = entry.itemID, try index.item(id, in: entry.domain) != nil else { return }
            try index.setProblem(
                DocumentError(error.code, "It was to be moved out, and stays: \(error.message)\(rest)"),
                of: id, in: entry.domain)
        }
    }

    /// It is still to be removed, and cannot be just now: the item says so.
    package func postponeLeaving(_ entry: JournalEntry, because error: DocumentError) throws {
        let copy = String(decoding: entry.payload.source ?? [], as: UTF8.self)
        try index.write(durably: false) { index in
            guard let now = try index.open(entry), let id = now.itemID,
                let item = try index.item(id, in: entry.domain)
            else { return }
            let problem = DocumentError(
                error.code, "\(IndexTransaction.postponed)\(error.message) A copy is at \(copy).")
            guard item.problem?.message != problem.message else { return }
            try index.setProblem(problem, of: id, in: entry.domain)
        }
    }

    /// Removes something that was made here and that the provider does not know: a document with its contents, or a folder
    /// that nothing is left in. The caller has the contents elsewhere, or does not want them.
    ///
    /// - Parameter discarding: also what was written to it since it was looked at last.
    package func dropArriving(_ item: IndexedItem, discarding: Bool = false) throws {
        let location = try locate(item.id, in: item.domain).location
        if item.item.kind == .document {
            if discarding {
                _ = try discardFile(of: item.id, in: item.domain, skippingTrash: false)
            } else if let local = item.local {
                try tree.removeFile(at: location, expecting: local)
            }
            // After a power failure it is not there again, to be taken for one that was just made.
            try tree.flushFolders(left: [location])
        } else {
            guard try index.read({ try !$0.hasChildren(item.id, in: item.domain) }) else {
                throw DocumentError(.directoryNotEmpty, "\(location) is not empty: move out what is in it first.")
            }
            do {
                try tree.removeFolder(at: location)
            } catch let error as DocumentError where error.code == .directoryNotEmpty {
                // Files that belong to no item stay; they are reported at every start.
                logger.notice("\(error.message)")
            }
        }
        // A document that the index knows and that has no file is seen to be gone.
        let outcome = try index.write(durably: item.item.kind != .document) { index in
            try index.deleteCleared(item.id, in: item.domain)
        }
        try perform(outcome)
    }
}

extension IndexTransaction {
    /// What an item begins to say of a departure that cannot be carried out just now.
    fileprivate static var postponed: String { "It was moved out, and is removed as soon as that can be done: " }

    /// An item says no longer that it is to be removed.
    fileprivate func forgetPostponed(_ entry: JournalEntry) throws {
        guard let id = entry.itemID, let item = try item(id, in: entry.domain),
            item.problem?.message.hasPrefix(Self.postponed) == true
        else { return }
        try setProblem(nil, of: id, in: entry.domain)
    }
}
