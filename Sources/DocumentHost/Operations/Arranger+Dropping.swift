import DocumentModel
import DocumentStorage
import FileCoordination

/// Removals that nobody waits for the provider with: for programs that hold up others meanwhile.
extension Arranger {
    /// Removes a document, or a folder that is known to be empty, here and now; its provider hears of it later.
    ///
    /// - Parameter patience: how long others who use it are waited for.
    /// - Returns: false when the provider has to be asked first: nothing is done then.
    func removeAtOnce(
        _ location: Location, discardingUnsent: Bool, on domain: Domain, by tool: ClaimOwner?,
        within patience: Duration?
    ) async throws(DocumentError) -> Bool {
        try domain.requireModifying(location)
        guard !location.isRoot, let item = try storage.read({ try $0.item(at: location) }), item.exists,
            !item.isArriving, ![.conflict, .nameClash, .sending].contains(item.state), try isEmpty(item)
        else { return false }
        guard item.item.capabilities.contains(.delete) else {
            throw DocumentError(.deletionRejected, "\(location) cannot be removed on the remote.")
        }
        try await deletions.admit(item, at: location, recursive: false, discardingEdits: discardingUnsent)
        let (claim, isOwn) = try await claim(
            toRemove: try storage.read { try $0.coordinated(item) }, by: tool, within: patience)
        defer { if isOwn { broker.end(claim) } }
        let entry = try await locks.withLockIfFree(item.key) { () async throws(DocumentError) -> JournalEntry? in
            guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.exists else { return nil }
            return try await storage.run { try $0.drop(now.id, in: now.domain, discardingEdits: discardingUnsent) }
        }
        // It is being sent, or has come to be something else.
        guard let entry = entry ?? nil else { return false }
        backlog.add([entry], of: item.domain)
        return true
    }

    /// Whether nothing is in it, as far as its provider has told; always of a document.
    private func isEmpty(_ item: IndexedItem) throws(DocumentError) -> Bool {
        guard item.item.kind != .document else { return true }
        return try storage.read { index in
            try index.listing(of: item.id, in: item.domain).isComplete
                && !index.hasChildren(item.id, in: item.domain)
        }
    }
}
