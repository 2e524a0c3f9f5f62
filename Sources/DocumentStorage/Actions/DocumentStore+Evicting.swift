package import DocumentModel

extension DocumentStore {
    /// Drops an item's contents; its placeholder takes their place (PH-5, XFER-9).
    ///
    /// - Throws: ``DocumentError``: `unsyncedEdits` with changes that were not sent (XFER-10), `busy` while a program
    ///   has it open, `notPermitted` when it is pinned or has hard links (XFER-12).
    package func evict(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        let (item, location) = try locate(id, in: domain)
        guard !item.isUnsent else {
            throw DocumentError(.unsyncedEdits, "\(location) has changes that were not sent yet: it stays here.")
        }
        guard item.state != .materialising else {
            throw DocumentError(.busy, "The contents of \(location) are just coming: wait until they are here.")
        }
        guard let expected = item.local else { return item }
        guard !item.isPinned else {
            throw DocumentError(.notPermitted, "\(location) is pinned, to be kept here: unpin it first.")
        }
        guard try recordChange(of: id, in: domain).state != .changed else {
            throw DocumentError(.unsyncedEdits, "\(location) was changed here and is not sent yet: it stays here.")
        }
        var payload = JournalPayload()
        payload.place = location.components
        payload.file = expected
        // Need not survive the machine: a file that is gone makes the item a placeholder in any case.
        let entry = try index.write(durably: false) { index in
            try index.begin(.evictBegan, item: id, in: domain, payload: payload)
        }
        try reached(.evictBegan)
        try takingBack {
            let isHere = try tree.file(at: location) != nil
            if isHere { try root.placeholders.remove(at: location) }
            try index.write(durably: false) { index in
                if !isHere { try index.setPlaceholder(id, in: domain) }
                try index.finish(entry)
            }
        } _: {
            try drop(entry, item, location, expected)
        }
        return try current(id, in: domain)
    }

    /// From `evictBegan` on, also after a crash.
    func drop(
        _ entry: JournalEntry, _ item: IndexedItem, _ location: Location, _ expected: FileIdentity
    ) throws {
        if let placeholder = Placeholder(item.item) { try root.placeholders.write(placeholder, at: location) }
        try reached(.evictPlaceholderWritten)
        try tree.evictFile(at: location, expecting: expected)
        try reached(.evictContentsRemoved)
        try index.write(durably: false) { index in
            try index.setPlaceholder(item.id, in: item.domain)
            try index.finish(entry)
        }
        try reached(.evictRecorded)
    }
}
