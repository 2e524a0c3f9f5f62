import DocumentModel
import DocumentStorage
import FileCoordination

/// Removals that nobody waits for the provider with: for programs that hold up others meanwhile.
extension Arranger {
    /// Removes a document, or a folder that is known to be empty, here and now; its provider hears of it later.
    ///
    /// - Parameter patience: how long others who use it are waited for.
    /// - Returns: false when the provider has to be asked first: nothing is done then.
    /// - Throws: `inConflict` for a document of which a side would go that whoever removes it has not seen: what programs see is
    ///   the one that is here.
    func removeAtOnce(
        _ location: Location, discardingUnsent: Bool, on domain: Domain, by tool: ClaimOwner?,
        within patience: Duration?
    ) async throws(DocumentError) -> Bool {
        try domain.requireModifying(location)
        guard !location.isRoot, let item = try storage.read({ try $0.item(at: location) }), item.exists,
            item.state != .nameClash, try isEmpty(item)
        else { return false }
        try await requireNoConflict(item)
        return try await deletions.removing(item.isArriving ? [] : [item]) {
            (begins: () -> Void) async throws(DocumentError) -> Bool in
            if !item.isArriving {
                guard item.item.capabilities.contains(.delete) else {
                    throw DocumentError(.deletionRejected, "\(location) cannot be removed on the remote.")
                }
                try await deletions.admit(item, at: location, recursive: false, discardingEdits: discardingUnsent)
            }
            let (claim, isOwn) = try await claim(
                toRemove: try storage.read { try $0.coordinated(item) }, by: tool, within: patience)
            defer { if isOwn { broker.end(claim) } }
            for _ in 0..<Self.mostTries {
                if let entries = try await drop(item, discardingUnsent: discardingUnsent) {
                    begins()
                    backlog.add(entries, of: item.domain)
                    return true
                }
                // What is sent or brought may have come to its end in this moment, or be about to.
                guard locks.isHeld(item.key) else { break }
                do { try await Task.sleep(for: Self.moment) } catch { throw DocumentError(wrapping: error) }
            }
            // As what was sent has just found.
            if let now = try storage.read({ try $0.item(item.id, in: item.domain) }) {
                try await requireNoConflict(now)
            }
            return false
        }
    }

    private func requireNoConflict(_ item: IndexedItem) async throws(DocumentError) {
        guard item.state == .conflict else { return }
        throw try await storage.run { try $0.refusedRemoval(of: item) }
    }

    static var mostTries: Int { 10 }
    static var moment: Duration { .milliseconds(20) }

    /// Who sends or brings it is not waited for.
    ///
    /// - Returns: what its provider is to hear; nil when it cannot go so, and nothing was done.
    private func drop(
        _ item: IndexedItem, discardingUnsent: Bool
    ) async throws(DocumentError) -> [JournalEntry]? {
        guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.exists,
            // What the remote has changed since, while others were waited for, nobody has seen who wants it removed.
            now.isUnsent || now.item.version.content == item.item.version.content
        else { return nil }
        let entries = try await locks.withLockIfFree(now.key) { () async throws(DocumentError) -> [JournalEntry]? in
            let entry = try await storage.run {
                try $0.drop(now.id, in: now.domain, discardingEdits: discardingUnsent)
            }
            if let entry { return [entry] }
            return try await forget(now, discardingUnsent: discardingUnsent) ? [] : nil
        }
        if let entries = entries.flatMap(\.self) { return entries }
        guard [.sending, .materialising].contains(now.state) else { return nil }
        return try await storage.run {
            try $0.drop(now.id, in: now.domain, discardingEdits: discardingUnsent, isUnderWay: true)
        }.map { [$0] }
    }

    /// What was never given to its provider just goes. Under the item's lock: nobody gives it away meanwhile.
    private func forget(_ item: IndexedItem, discardingUnsent: Bool) async throws(DocumentError) -> Bool {
        guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.isArriving,
            ![.conflict, .nameClash, .sending].contains(now.state), try isEmpty(now)
        else { return false }
        try await storage.run { try $0.dropArriving(now, discarding: discardingUnsent) }
        return true
    }

    /// Whether nothing is in it, as far as its provider has told; always of a document.
    private func isEmpty(_ item: IndexedItem) throws(DocumentError) -> Bool {
        guard item.item.kind != .document else { return true }
        return try storage.read { index in
            try (item.isArriving || index.listing(of: item.id, in: item.domain).isComplete)
                && !index.hasChildren(item.id, in: item.domain)
        }
    }
}
