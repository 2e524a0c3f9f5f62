package import DocumentModel
internal import Logging

/// Moving out (CONT-9): a copy is safe elsewhere; then the item is removed at the provider. Killed in between, both are
/// there, and the removal is carried on.
extension DocumentStore {
    /// - Parameters:
    ///   - path: where the copy is, for messages.
    ///   - parts: what was copied.
    package func beginLeaving(
        _ id: ItemIdentifier, in domain: DomainName, copiedTo path: String, _ parts: [CopiedPart]
    ) throws -> JournalEntry {
        let (item, location) = try locate(id, in: domain)
        var payload = JournalPayload()
        payload.place = location.components
        payload.kind = item.item.kind
        payload.base = item.synced
        payload.source = Array(path.utf8)
        payload.parts = parts
        let entry = try index.write { try $0.begin(.leaveBegan, item: id, in: domain, payload: payload) }
        try reached(.leaveBegan)
        return entry
    }

    /// Nothing of it is left.
    package func finishLeaving(_ entry: JournalEntry) throws {
        try index.write { try $0.finish(entry) }
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
