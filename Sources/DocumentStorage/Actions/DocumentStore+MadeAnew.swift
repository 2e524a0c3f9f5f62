package import DocumentModel

/// Documents and folders that were gone at the provider, and were made anew there.
extension DocumentStore {
    /// The item was gone at the provider, and was made anew there with these contents: an edit survives a deletion
    /// (VER-15).
    ///
    /// - Parameter earlier: the provider has not these contents, but others that they began from: they are a change of what is
    ///   there.
    package func finish(
        _ sending: Sending, asNew item: Item, having earlier: StagedFile? = nil
    ) throws -> IndexedItem {
        try takingBack {
            discard(request: earlier?.request)
        } _: {
            try unlessCalledOff(sending, answeredWith: item) { try record(sending, asNew: item, having: earlier) }
        }
    }

    private func record(
        _ sending: Sending, asNew item: Item, having earlier: StagedFile?
    ) throws -> IndexedItem {
        var freed = ApplyOutcome()
        freed.work = try index.write { index in
            try index.refuseCalledOff(sending)
            let known = try index.known(sending.item.id, in: sending.item.domain)
            // It was asked for where it was then, and may have been moved since; by its former identifier it is not found any more.
            let isMoved = try index.isMoved(known, since: sending)
            let work = try index.rename(sending.item.id, to: item.id, in: sending.item.domain)
            if isMoved { try index.keepPlace(of: known, madeAs: item) }
            return work
        }
        if !freed.work.isEmpty { try follow(freed) }
        var renamed = sending
        renamed.item = try current(item.id, in: sending.item.domain)
        renamed.begun = nil
        renamed.entry.itemID = item.id
        guard let earlier else { return try finish(renamed, as: item) }
        renamed = renamed.compared
        renamed.snapshot = earlier
        renamed.entry.payload.digest = nil
        // No file here has just these contents: whatever is at its place is a change.
        renamed.snapshot.source = nil
        let known = try finish(renamed, as: item)
        discard(request: sending.snapshot.request)
        return known
    }

    /// A folder was gone at the provider, and was made anew there for what is to be sent into it (VER-15); or was made here.
    ///
    /// - Parameter isBeside: it could not get its name, and has the one that it was made with from now on.
    package func revive(
        _ folder: ItemIdentifier, as item: Item, isBeside: Bool = false, in domain: DomainName
    ) throws {
        let outcome = try index.write { index in
            let known = try index.item(folder, in: domain)
            let freed = try index.revive(folder, as: item.id, in: domain)
            if let known, known.isArriving, !isBeside { try index.keepPlace(of: known, madeAs: item) }
            var outcome = try index.apply([item], in: domain)
            outcome.work = freed + outcome.work
            return outcome
        }
        try follow(outcome)
    }
}
