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
    /// - Returns: nil when neither is.
    package func resumeMove(_ entry: JournalEntry) throws -> Export? {
        guard entry.action == .move, let operation = entry.payload.operation, let parent = entry.payload.parentID,
            let name = entry.payload.name, let kind = entry.payload.kind, let contents = try movedContents(entry)
        else { return nil }
        var entry = entry
        if entry.payload.staging != contents.request {
            discard(request: entry.payload.staging)
            entry.payload.staging = contents.request
            entry.payload.boot = root.boot
            entry = try index.write { try $0.advance(entry, to: .moveStaged) }
        }
        return Export(
            entry: entry, parentID: parent, name: name, kind: kind, contents: contents, operation: operation)
    }
}
