package import DocumentModel

/// What the provider tells, worked into the index and the tree.
extension DocumentStore {
    /// Items outside a listing.
    ///
    /// - Parameter leavingWork: what is to be done in the tree is left to the caller, who performs the outcome's work
    ///   once nobody uses the items.
    package func apply(_ items: [Item], in domain: DomainName, leavingWork: Bool = false) throws -> ApplyOutcome {
        let outcome = try index.write(durably: false) { try $0.apply(items, in: domain) }
        try follow(outcome, leavingWork)
        return outcome
    }

    /// One page of changes, with the anchor that it leads to.
    package func apply(
        _ changes: ItemChanges, in domain: DomainName, leavingWork: Bool = false
    ) throws -> ApplyOutcome {
        let outcome = try index.write { try $0.apply(changes, in: domain) }
        try follow(outcome, leavingWork)
        return outcome
    }

    /// Begins a full listing of a folder.
    ///
    /// - Returns: its generation, for ``apply(_:of:in:generation:)``.
    package func beginListing(of folder: ItemIdentifier, in domain: DomainName) throws -> Int64 {
        try index.write(durably: false) { try $0.beginListing(of: folder, in: domain) }
    }

    /// One page of a listing. With the last one, what was not seen in it is gone.
    package func apply(
        _ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64,
        leavingWork: Bool = false
    ) throws -> ApplyOutcome {
        let outcome = try index.write(durably: false) { index in
            try index.apply(page, of: folder, in: domain, generation: generation)
        }
        if !leavingWork { try perform(outcome) }
        if let location = try? locate(folder, in: domain).location {
            // Those with contents here have none; for all others the page has what they are to say.
            try root.placeholders.write(outcome.placeholders, in: location)
        }
        return outcome
    }

    private func follow(_ outcome: ApplyOutcome, _ leavingWork: Bool) throws {
        if !leavingWork { try perform(outcome) }
        for item in outcome.changed where item.local == nil && item.state != .nameClash {
            refreshPlaceholder(item.id, in: item.domain)
        }
    }

    /// Carries out all that is recorded and not done in the tree.
    package func performOpenWork() throws {
        var outcome = ApplyOutcome()
        outcome.work = try index.read { try $0.journal() }.filter { entry in
            [.renameRecorded, .renameMoved, .removeRecorded, .removeCleared].contains(entry.step)
        }
        try perform(outcome)
    }
}
