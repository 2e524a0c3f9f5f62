public import DocumentModel
import DocumentStorage

extension DocumentHost {
    /// Says whether deletions that wait for it are meant (CONT-13).
    ///
    /// Yes: they are carried out. No, to those from the remote: documents with contents here stay, and are sent to the
    /// remote again (VER-15); of the others only a name was here, which goes. No, to those asked for here: everything
    /// stays as it is.
    ///
    /// A yes covers what there was when a removal was asked for, in the versions that were known then: what came into a folder
    /// since, or was changed, stays.
    ///
    /// - Parameter direction: nil for both.
    /// - Throws: `noSuchItem` when none wait; what kept one from being carried out, which waits on. What stayed because it is
    ///   new is covered by the next yes.
    public func answerDeletions(
        of name: DomainName, _ direction: HeldDeletions.Direction? = nil, carryOut: Bool
    ) async throws(DocumentError) {
        let domain = try domains.domain(name)
        let waiting = try deletions.held(in: name).map(\.direction).filter { direction == nil || $0 == direction }
        guard !waiting.isEmpty else {
            throw DocumentError(.noSuchItem, "No deletions of \(name) wait for an answer; docent status shows any.")
        }
        if waiting.contains(.fromRemote) {
            try await deletions.answerTold(in: name, keepingContents: !carryOut)
        }
        guard waiting.contains(.toRemote) else { return }
        guard carryOut else {
            try await departures.forget(try deletions.wanted(in: name))
            return try await deletions.forget(in: name)
        }
        var failure: DocumentError?
        for removal in try deletions.wanted(in: name) {
            do throws(DocumentError) {
                // Of what was to be moved out, just what was copied goes.
                if try await !departures.carryOut(removal) { try await remove(removal, on: domain) }
                try await deletions.forget(removal.item.id, in: name)
            } catch {
                if error.code == .cancelled { throw error }
                failure = failure ?? error
                if [.versionNoLongerAvailable, .directoryNotEmpty, .nameClash].contains(error.code) {
                    try await deletions.coverAnew(removal.item.id, in: name)
                }
            }
        }
        if let failure { throw failure }
    }

    private func remove(_ removal: HeldRemoval, on domain: Domain) async throws(DocumentError) {
        // It may have gone with another one, or on the remote.
        guard let item = try storage.read({ try $0.item(removal.item.id, in: domain.name) }), !item.isGone,
            let location = try storage.read({ try $0.shownLocation(of: item) })
        else { return }
        let covered = try deletions.covered(by: item.id, in: domain.name)
        do throws(DocumentError) {
            try await arranger.remove(
                location, recursive: removal.isRecursive, discardingUnsent: removal.discardsEdits, on: domain, by: nil,
                isApproved: true, covering: covered)
        } catch {
            guard error.code == .noSuchItem else { throw error }
        }
    }

    /// Changes what is chosen for a domain.
    public func setRules(_ change: DomainRuleChange, of name: DomainName) async throws(DocumentError) {
        _ = try domains.domain(name)
        try await deletions.setRules(change, of: name)
        lookout.changed(name)
        // What is pinned is looked at again as often, also where that was switched off.
        work.add { [pinKeeper] in await pinKeeper.look(at: name) }
    }
}
