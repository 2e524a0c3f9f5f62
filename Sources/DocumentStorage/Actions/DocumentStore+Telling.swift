package import DocumentModel
internal import Logging

/// What the provider tells, worked into the index and the tree.
extension DocumentStore {
    /// Items outside a listing.
    ///
    /// - Parameter leavingWork: what is to be done in the tree is left to the caller, who performs the outcome's work
    ///   once nobody uses the items.
    package func apply(
        _ items: [Item], in domain: DomainName, leavingWork: Bool = false,
        answering question: ProviderQuestions.Question? = nil
    ) throws -> ApplyOutcome {
        let outcome = try index.write(durably: false) { index in
            try index.apply(items, in: domain, leavingOut: question?.settled ?? [])
        }
        try follow(outcome, leavingWork)
        return outcome
    }

    /// One page of changes, with the anchor that it leads to.
    ///
    /// - Parameters:
    ///   - since: the anchor that they follow; when it was set back meanwhile, it stays there. Nil: whatever it was.
    ///   - holding: what is gone is only written down, see ``settleHeldRemovals(of:judge:)``.
    ///   - question: what they answer.
    package func apply(
        _ changes: ItemChanges, in domain: DomainName, since: SyncAnchor? = nil, leavingWork: Bool = false,
        holding: Bool = false, answering question: ProviderQuestions.Question? = nil
    ) throws -> ApplyOutcome {
        let outcome = try index.write { index in
            try index.apply(
                changes, in: domain, since: since, holding: holding, leavingOut: question?.settled ?? [])
        }
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
    ///
    /// - Parameter leavingWork: so, too, are placeholders of what is new.
    package func apply(
        _ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64,
        leavingWork: Bool = false, holding: Bool = false, answering question: ProviderQuestions.Question? = nil
    ) throws -> ApplyOutcome {
        let outcome = try index.write(durably: false) { index in
            try index.apply(
                page, of: folder, in: domain, generation: generation, holding: holding,
                leavingOut: question?.settled ?? [])
        }
        if !leavingWork { try perform(outcome) }
        if let location = try? locate(folder, in: domain).location {
            // Those with contents here have none; for all others the page has what they are to say.
            try write(outcome.placeholders, in: location)
        }
        if !leavingWork { while try writeDuePlaceholders() {} }
        return outcome
    }

    /// Makes some of the placeholders that listings have left to be made. They are derived: one that cannot be made is no
    /// failure.
    ///
    /// - Returns: whether there may be more.
    /// - Throws: when the disk is full: what could not be made stays due, and is for later.
    package func writeDuePlaceholders(limit: Int = 100) throws -> Bool {
        var failure: (any Error)?
        // No folder moves or goes meanwhile: it would be made again at its old place.
        let due = try moves.exclusively {
            var due = try index.read { try $0.duePlaceholders(limit: limit) }
            for folder in due?.folders ?? [] {
                do {
                    try write(folder.placeholders, in: folder.location)
                } catch let error as DocumentError where error.isOutOfSpace {
                    due?.keep(from: folder.first)
                    failure = error
                } catch {
                    logger.notice(
                        "placeholders were not written",
                        metadata: ["folder": "\(folder.location)", "error": "\(error)"])
                }
            }
            return due
        }
        guard let due else { return false }
        try index.write(durably: false) { try $0.settle(due) }
        if let failure { throw failure }
        return due.next != nil
    }

    /// Of a domain that is removed meanwhile nothing stays: whoever comes second, this or the removal, takes it away.
    private func write(_ placeholders: [Placeholder], in folder: Location) throws {
        guard !placeholders.isEmpty else { return }
        try root.placeholders.write(placeholders, in: folder)
        if try index.read({ try $0.domain(folder.domain) }) == nil { try root.tree.removeDerived(of: folder.domain) }
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
        outcome.work = try index.read { try $0.journal() }.filter(\.step.isForTree)
        try perform(outcome)
    }
}

extension DocumentStore {
    /// Makes the placeholders that a folder lacks and removes those that stand for nothing: a crash between the index
    /// and the tree leaves such. Reads the folder's names once and writes only what is missing.
    ///
    /// - Returns: how many were made and removed.
    @discardableResult
    package func mendPlaceholders(of folder: ItemIdentifier, in domain: DomainName) throws -> Int {
        let location = try locate(folder, in: domain).location
        var there = try root.placeholders.names(in: location)
        var mended = 0
        var cursor: ChildCursor?
        repeat {
            let page = try index.read { try $0.children(of: folder, in: domain, after: cursor, limit: 1000) }
            var missing: [Placeholder] = []
            for item in page.items where item.state != .nameClash {
                guard let placeholder = Placeholder(item.item) else { continue }
                if there.remove(placeholder.name) == nil, item.local == nil { missing.append(placeholder) }
            }
            try write(missing, in: location)
            mended += missing.count
            cursor = page.next
        } while cursor != nil
        // While moves wait, the names here are not the index's.
        guard try index.read({ try $0.openTreeWork(in: domain) }).isEmpty else { return mended }
        for name in there {
            try root.placeholders.remove(at: location.appending(name))
            mended += 1
        }
        return mended
    }
}
