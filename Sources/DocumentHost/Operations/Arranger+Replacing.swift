import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination

/// An item takes the place of a document that is there, inside of a tool's access for replacing that (COORD-19, COORD-30).
///
/// What is there goes aside first, and away only when the other one has come: whatever fails, and whoever is killed, no
/// contents are lost. Those that are here are kept as an older version of what replaces them.
extension Arranger {
    /// Whether a tool has access to a document for just that.
    func isReplacing(_ existing: IndexedItem, by tool: ClaimOwner?) throws(DocumentError) -> Bool {
        guard let tool else { return false }
        return held(try storage.read { try $0.coordinated(existing) }, .forReplacing, by: tool) != nil
    }

    func replace(
        _ existing: IndexedItem, at destination: Location, with item: IndexedItem, from location: Location,
        on domain: Domain, by tool: ClaimOwner?
    ) async throws(DocumentError) -> IndexedItem {
        guard let name = destination.name else { throw Exporter.exists(destination) }
        guard existing.item.kind == .document, item.item.kind == .document else {
            throw DocumentError(
                .destinationExists, "Only documents replace each other: \(destination) has to be removed first.")
        }
        let parent = try await exporter.folder(of: destination, in: domain)
        // What the tool has written there itself counts, too.
        let there = try await storage.run { try $0.recordChange(of: existing.id, in: existing.domain) }
        guard !there.isUnsent else {
            throw DocumentError(
                .unsyncedEdits, "\(destination) has changes that were not sent yet, and cannot be replaced.")
        }
        guard there.item.capabilities.contains(.delete), there.item.capabilities.contains(.rename) else {
            throw DocumentError(.deletionRejected, "\(destination) cannot be replaced on the remote.")
        }
        guard domain.hasFeed, there.id.rawValue != destination.relativePath else {
            // Identifiers may follow names (ID-4): what went aside would be another document.
            throw DocumentError(
                .destinationExists,
                "\(destination) cannot be replaced, as its provider may know documents by their names: remove it first."
            )
        }
        guard !item.isArriving else {
            if let rule = try storage.read({ try $0.marks(of: item) }).ignoredBy {
                throw DocumentError(
                    .excludedFromSync,
                    "\(location) is not sent, by the ignore rule “\(rule)”, and \(destination) would be gone before it came: write its contents there instead."
                )
            }
            throw DocumentError(
                .unsyncedEdits,
                "\(location) was not sent yet, and \(destination) would be gone before it came: try again when it is sent."
            )
        }
        try checkMoving(item, to: parent, from: location)
        return try await deletions.removing([there]) {
            (begins: () -> Void) async throws(DocumentError) -> IndexedItem in
            try await deletions.admit(there, at: destination, recursive: false, discardingEdits: false)
            let claim = try await claim(toMove: item, as: name, into: parent, at: destination, by: tool)
            defer { claim.end() }
            begins()
            // Whoever asked may go, or give up: what was begun is done to its end, or taken back.
            return try await toItsEnd { () async throws(DocumentError) in
                try await exchange(
                    there, at: destination, with: item, from: location, in: parent, as: name, claim, on: domain,
                    by: tool)
            }
        }
    }

    private func exchange(
        _ there: IndexedItem, at destination: Location, with item: IndexedItem, from location: Location,
        in parent: IndexedItem, as name: ItemName, _ claim: MovingClaim, on domain: Domain, by tool: ClaimOwner?
    ) async throws(DocumentError) -> IndexedItem {
        let aside = try await setAside(there, in: parent, at: destination, on: domain)
        let moved: IndexedItem
        do throws(DocumentError) {
            guard aside.item.id == there.id, aside.item.item.version.content == there.item.version.content else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "\(destination) was changed on the remote meanwhile: look at it again before you replace it.")
            }
            moved = try await move(item, to: parent, as: name, from: location, on: domain, in: claim)
        } catch {
            // Both are as they were; or this says where what was there is.
            do throws(DocumentError) {
                _ = try await modify(aside.item.key, to: parent, as: name, at: aside.location, on: domain)
            } catch let other {
                throw error.wrapped(
                    "\(error.message) What was to be replaced is \(aside.location) now, because it could not be put back: \(other.message)"
                )
            }
            throw error
        }
        if let tool { accesses.replaced(there.key, by: tool) }
        do throws(DocumentError) {
            _ = try await storage.run { try $0.keepReplaced(there.id, asVersionOf: moved.id, in: domain.name) }
            try await removeAside(aside.item, seen: there.item.version, on: domain)
            // Only now; what cannot be dropped is, with the next one that is kept.
            _ = try? await storage.run { try $0.pruneVersions(of: moved.id, in: domain.name) }
        } catch {
            throw error.wrapped(
                "\(location) is \(destination) now, but what was there could not be removed, and is \(aside.location): \(error.message)"
            )
        }
        return moved
    }

    /// To a name that nothing has.
    private func setAside(
        _ item: IndexedItem, in parent: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> (item: IndexedItem, location: Location) {
        guard let name = location.name, let folder = location.parent else { throw Exporter.exists(location) }
        let date = ConflictName.date(of: item.local?.modified ?? item.item.modified)
        for attempt in 1...Self.mostNames {
            let free = try ConflictName.make(for: name, at: date, attempt: attempt)
            let place = folder.appending(free)
            do throws(DocumentError) {
                return (try await modify(item.key, to: parent, as: free, at: location, on: domain), place)
            } catch {
                guard error.code == .destinationExists || error.code == .nameClash, attempt < Self.mostNames else {
                    throw error
                }
            }
        }
        throw Exporter.exists(location)
    }

    private static var mostNames: Int { 20 }

    /// - Parameter seen: the version that was to be replaced: no other one goes.
    private func removeAside(
        _ item: IndexedItem, seen: ItemVersion, on domain: Domain
    ) async throws(DocumentError) {
        let session = domain.provider
        var known = item
        known.item.version = seen
        let removed = known
        try await locks.withLock(item.key) { () async throws(DocumentError) in
            let change = try await storage.run { try $0.beginRemoving(item.id, in: domain.name, skippingTrash: true) }
            do throws(DocumentError) {
                try await delete(removed, change.operation, with: session)
                try await storage.run { try $0.finishRemoving(change) }
            } catch {
                try await storage.run { try $0.abandon(change) }
                throw error
            }
        }
    }

    /// Runs a body as the host's own work, with the claims of whoever waits for it, whom nothing keeps from going.
    private func toItsEnd(
        _ body: @escaping @Sendable () async throws(DocumentError) -> IndexedItem
    ) async throws(DocumentError) -> IndexedItem {
        let enclosing = EnclosingClaims.current
        let outcome = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<IndexedItem, DocumentError>, Never>) in
            let isTaken = work.add {
                let result = await EnclosingClaims.$current.withValue(enclosing) {
                    () async -> Result<IndexedItem, DocumentError> in
                    do throws(DocumentError) {
                        return .success(try await body())
                    } catch {
                        return .failure(error)
                    }
                }
                continuation.resume(returning: result)
            }
            if !isTaken { continuation.resume(returning: .failure(WorkGroup.hasEnded)) }
        }
        return try outcome.get()
    }
}
