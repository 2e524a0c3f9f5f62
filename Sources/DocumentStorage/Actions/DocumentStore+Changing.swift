package import DocumentModel

extension DocumentStore {
    /// To be called before a coordinated write is granted: after a crash the item's file is looked at.
    package func expectChange(of id: ItemIdentifier, in domain: DomainName) throws -> JournalEntry {
        let (item, location) = try locate(id, in: domain)
        var payload = JournalPayload()
        payload.place = location.components
        payload.file = item.local
        payload.base = item.synced
        let entry = try index.write(durably: false) { index in
            try index.begin(.changeExpected, item: id, in: domain, payload: payload)
        }
        try reached(.changeExpected)
        return entry
    }

    /// To be called when the coordinated write has ended: the item is `changed` if its file is not what it was. What
    /// was written is on disk when the call returns.
    package func recordChange(_ entry: JournalEntry) throws -> IndexedItem {
        guard let id = entry.itemID else {
            throw DocumentError(.internal, "A change without an item was to be recorded.")
        }
        return try recordChange(of: id, in: entry.domain, entry)
    }

    /// Looks at an item's file outside a coordinated write: records a change that was made without asking.
    package func recordChange(of id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        try recordChange(of: id, in: domain, nil)
    }

    private func recordChange(
        of id: ItemIdentifier, in domain: DomainName, _ entry: JournalEntry?
    ) throws -> IndexedItem {
        let (item, location) = try locate(id, in: domain)
        let file = try tree.file(at: location)
        let isSame = file.map { item.local?.hasSameContents(as: $0) ?? false } ?? (item.local == nil)
        if isSame, entry == nil, file == item.local {
            return item
        } else if isSame {
            try index.write(durably: false) { index in
                if let file { try index.setFile(file, of: id, in: domain) }
                if let entry { try index.finish(entry) }
            }
        } else if item.local == nil {
            // No contents were here: what lies there now is not the item's, and is neither sent nor removed.
            if let entry { try index.write(durably: false) { try $0.finish(entry) } }
            throw DocumentError(
                .destinationExists,
                "A file lies at \(tree.path(of: location)), where the item has no contents: move it elsewhere.")
        } else if let flushed = try tree.flush(location) {
            try index.write { index in
                try index.setFile(flushed, of: id, in: domain)
                if !item.isUnsent { try index.setState(.changed, of: id, in: domain) }
                if let entry { try index.finish(entry) }
            }
        } else {
            try recordMissing(item, entry)
        }
        if entry != nil { try reached(.changeRecorded) }
        return try current(id, in: domain)
    }

    /// The file was removed here, and not the item: it is a placeholder again.
    func recordMissing(_ item: IndexedItem, _ entry: JournalEntry? = nil) throws {
        try index.write { index in
            try index.setPlaceholder(item.id, in: item.domain)
            if item.isUnsent {
                let error = DocumentError(
                    .localStorage,
                    "Its file was removed here while it had unsent changes: the provider's contents stand.")
                try index.setProblem(error, of: item.id, in: item.domain)
            }
            if let entry { try index.finish(entry) }
        }
        refreshPlaceholder(item.id, in: item.domain)
    }
}
