internal import DocumentModel

/// What a provider was asked for before the host ended, once it is known what became of it.
extension DocumentStore {
    /// What is known of the remote is in the index: nothing is left to be done.
    package func closeLookedUp(_ entry: JournalEntry) throws {
        try index.write { try $0.finish(entry) }
        discard(request: entry.payload.staging)
    }

    /// The provider does not have the item any more. What was not sent of it stays, and is sent anew: nobody knows whether
    /// it was changed since somebody said that it may go (VER-15).
    ///
    /// - Returns: what is to be done in the tree.
    package func recordGone(_ entry: JournalEntry) throws -> ApplyOutcome {
        try index.write { index in
            let outcome =
                try entry.itemID.map { id in
                    try remove(
                        [id], in: entry.domain, discardingEdits: false, skippingTrash: entry.payload.skipsTrash, index)
                } ?? ApplyOutcome()
            try index.finish(entry)
            return outcome
        }
    }

    /// A move whose copy, or source, is still what was sent. Ask the provider by the operation's name, then finish it, or
    /// abandon it.
    ///
    /// - Parameter readingSource: the source is looked at when there is no copy, which may block for ever.
    /// - Returns: nil when neither is, or nothing is open any more.
    package func resumeMove(_ entry: JournalEntry, readingSource: Bool) throws -> Export? {
        guard entry.action == .move, let operation = entry.payload.operation, let parent = entry.payload.parentID,
            let name = entry.payload.name, let kind = entry.payload.kind,
            let contents = try movedContents(entry, readingSource: readingSource)
        else { return nil }
        var entry = entry
        if entry.payload.staging != contents.request {
            // The domain may have gone while the source was waited for.
            guard try index.read({ try $0.open(entry) }) != nil else {
                discard(request: contents.request)
                return nil
            }
            discard(request: entry.payload.staging)
            entry.payload.staging = contents.request
            entry.payload.boot = root.boot
            entry = try index.write { try $0.advance(entry, to: .moveStaged) }
        }
        return Export(
            entry: entry, parentID: parent, name: name, kind: kind, contents: contents, operation: operation)
    }

    /// The contents of a move that its provider has, and that only its old place has besides: see
    /// ``ReconciliationReport/sources``. May block for ever, so that nothing is to be held meanwhile.
    ///
    /// - Returns: nil when they are not to be had, or not wanted any more.
    package func contents(ofLeft entry: JournalEntry) throws -> StagedFile? {
        guard let open = try index.read({ try $0.open(entry) }), open.step == .moveRecorded else { return nil }
        return try movedContents(open)
    }

    /// Puts them in the item's place, or nothing. To be called under the item's lock; what is in its old place goes after that.
    package func place(_ contents: StagedFile?, ofLeft entry: JournalEntry) throws {
        let known = try index.read { try $0.open(entry) }
        defer { if let contents, contents.request != known?.payload.staging { discard(request: contents.request) } }
        guard let open = known, open.step == .moveRecorded, let id = open.itemID,
            try index.read({ try $0.item(id, in: open.domain) })?.exists == true
        else { return }
        _ = try placeMoved(open, contents)
    }

    /// They came when nobody wanted them any more.
    package func drop(_ contents: StagedFile) { discard(request: contents.request) }
}
