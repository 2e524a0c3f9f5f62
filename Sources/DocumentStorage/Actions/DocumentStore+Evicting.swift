package import DocumentModel
internal import Logging

extension DocumentStore {
    /// Drops an item's contents; its placeholder takes their place (PH-5, XFER-9).
    ///
    /// - Parameter evenIfKept: also where somebody wants it here: the same contents lie elsewhere.
    /// - Throws: ``DocumentError``: `unsyncedEdits` with changes that were not sent (XFER-10), `busy` while a program
    ///   has it open, `notPermitted` when it is pinned or has hard links (XFER-12).
    package func evict(
        _ id: ItemIdentifier, in domain: DomainName, evenIfKept: Bool = false
    ) throws -> IndexedItem {
        let (item, location) = try locate(id, in: domain)
        guard !item.isUnsent else {
            throw DocumentError(.unsyncedEdits, "\(location) has changes that were not sent yet: it stays here.")
        }
        guard item.state != .materialising else {
            throw DocumentError(.busy, "The contents of \(location) are just coming: wait until they are here.")
        }
        guard item.local != nil else { return item }
        switch try index.read({ try $0.marks(of: item) }).keeping {
        case .automatic, .onlineOnly, .whileCurrent: break
        case _ where evenIfKept: break
        case .pinned: throw DocumentError(.notPermitted, "\(location) is pinned, to be kept here: unpin it first.")
        case .excluded:
            throw DocumentError(.notPermitted, "\(location) is excluded from sync, so it stays here: include it first.")
        }
        // Whoever has changed it may have set its times back: then only reading it tells. That may take its time, and keeps
        // nobody from opening it.
        let looked = try recordChangeProving(of: id, in: domain)
        guard !looked.isUnsent else {
            throw DocumentError(.unsyncedEdits, "\(location) was changed here and is not sent yet: it stays here.")
        }
        guard let expected = looked.local else { return looked }
        var payload = JournalPayload()
        payload.place = location.components
        payload.file = expected
        // Need not survive the machine, nor be written at all when the disk is full, where people evict to make room: a
        // file that is gone makes the item a placeholder in any case.
        let entry: JournalEntry?
        do {
            entry = try index.write(durably: false) { index in
                try index.begin(.evictBegan, item: id, in: domain, payload: payload)
            }
        } catch let error as DocumentError where error.isOutOfSpace {
            logger.notice(
                "evicting without a note in the journal", metadata: ["item.id": "\(id)", "error": "\(error)"])
            entry = nil
        }
        try reached(.evictBegan)
        try takingBack {
            let file = try tree.file(at: location)
            if file != nil { try root.placeholders.remove(at: location) }
            try index.write(durably: false) { index in
                if let file {
                    // Its name left and came back, which is no change of it; where it can be read, the next look says so.
                    if item.proof.digest == nil, file.hasSameContents(as: expected) {
                        try index.setFile(file, of: id, in: domain)
                    }
                } else {
                    try index.setPlaceholder(id, in: domain)
                }
                if let entry { try index.finish(entry) }
            }
            if file != nil { _ = try recordChange(of: id, in: domain, givingUp: false) }
        } _: {
            // That these were sent may be recorded and not on disk: without their file they would be an edit that is lost.
            try index.flushDeferred()
            try drop(entry, looked, location, expected)
        }
        return try current(id, in: domain)
    }

    /// The same of contents of which the remote has newer ones, where they are to be here no longer than that (XFER-14).
    ///
    /// - Returns: whether they left; false when they are to stay by now, as nobody could have the newer ones while it is paused.
    package func evictOutdated(_ id: ItemIdentifier, in domain: DomainName) throws -> Bool {
        let isMeant = try index.read { index in
            try index.item(id, in: domain).map { try index.isToLeaveOutdated($0) } ?? false
        }
        guard isMeant else { return false }
        return try evict(id, in: domain).local == nil
    }

    /// From `evictBegan` on, also after a crash. Nothing of it needs room on the disk.
    func drop(
        _ entry: JournalEntry?, _ item: IndexedItem, _ location: Location, _ expected: FileIdentity
    ) throws {
        try refreshPlaceholder(item, at: location)
        try reached(.evictPlaceholderWritten)
        try tree.evictFile(at: location, expecting: expected, digest: item.proof.digest)
        try reached(.evictContentsRemoved)
        // The room that it needed is there by now.
        if try root.placeholders.read(at: location) == nil { try refreshPlaceholder(item, at: location) }
        do {
            try index.write(durably: false) { index in
                try index.setPlaceholder(item.id, in: item.domain)
                if let entry { try index.finish(entry) }
            }
        } catch let error as DocumentError where error.isOutOfSpace {
            // Whoever looks for the file next sees that it is gone.
            logger.notice("an eviction is not recorded yet", metadata: ["item.id": "\(item.id)", "error": "\(error)"])
        }
        try reached(.evictRecorded)
    }

    /// Of an item that still has its contents. On a full disk there is none until there is room.
    private func refreshPlaceholder(_ item: IndexedItem, at location: Location) throws {
        guard let placeholder = Placeholder(item.item) else { return }
        do {
            try root.placeholders.write(placeholder, at: location)
        } catch let error as DocumentError where error.isOutOfSpace {
            logger.notice("a placeholder is not written yet", metadata: ["item.id": "\(item.id)", "error": "\(error)"])
        }
    }
}
