import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import Synchronization

extension AccessGranter {
    /// A package is as old as its oldest part.
    func isOutdated(_ item: IndexedItem) throws(DocumentError) -> Bool {
        guard item.item.kind == .package else { return item.state == .outdated }
        return try storage.read { try $0.subtree(of: item.id, in: item.domain) }
            .contains { $0.state == .outdated && !$0.isGone }
    }

    /// The file that others may be reading is replaced only when nobody reads it any more. While a document is paused, nothing
    /// is claimed for that, so that others can go on with what is here.
    ///
    /// - Returns: the item as it is then.
    func replaceOutdated(
        _ item: IndexedItem, on domain: Domain, for request: AccessRequest, _ intention: AccessRequest.Intention,
        purpose: Purpose?, by owner: ClaimOwner, nestedIn: Set<ClaimID>,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> IndexedItem {
        var item = item
        // Inside of the tool's own access it may not be claimed at all, and what is here has to do.
        var paused = item.item.kind == .document && nestedIn.isEmpty ? item : nil
        repeat {
            if let paused { item = try await untilResumed(paused, of: item, intention, by: owner) }
            paused = try await replaceOutdatedUntilPaused(
                item, on: domain, for: request, intention, purpose: purpose, by: owner, nestedIn: nestedIn,
                onProgress: onProgress)
        } while paused != nil
        return item
    }

    /// Waits until a document is not paused any more, while nothing of it is claimed.
    ///
    /// - Parameter item: what is to be accessed: the document, or one that it is a part of.
    /// - Returns: that as it is then.
    /// - Throws: `noSuchItem` when it was removed meanwhile.
    func untilResumed(
        _ paused: IndexedItem, of item: IndexedItem, _ intention: AccessRequest.Intention, by owner: ClaimOwner
    ) async throws(DocumentError) -> IndexedItem {
        guard try materialiser.pauses.isPaused(paused.key) else { return item }
        contents.requests.add([paused.key])
        defer { contents.requests.remove([paused.key]) }
        try await pending.during(.resumption, intention, by: owner) { () async throws(DocumentError) in
            try await pinKeeper.outlivingAsker(item) { () async throws(DocumentError) in
                try await materialiser.pauses.untilResumed(paused.key)
            }
        }
        guard let now = try storage.read({ try $0.now(item) }) else { throw Self.wasRemoved(intention.location) }
        return now
    }

    /// The same for all that a request is about.
    ///
    /// - Returns: its targets, which may have other identifiers by then.
    func untilResumed(
        _ paused: PausedContents.Found, _ targets: [AccessTarget], _ request: AccessRequest, by owner: ClaimOwner
    ) async throws(DocumentError) -> [AccessTarget] {
        var items: [Int: IndexedItem] = [:]
        for (index, target) in targets.enumerated() {
            if case .item(let key) = target { items[index] = try known.item(key)?.item }
        }
        let meant = items.first { CoordinatedItem.Subject.item($0.value.key) == paused.item.subject }
        _ = try await untilResumed(
            paused.document, of: meant?.value ?? paused.document, request.intentions[meant?.key ?? 0], by: owner)
        var now = targets
        for (index, item) in items {
            guard let found = try storage.read({ try $0.now(item) }) else {
                throw Self.wasRemoved(request.intentions[index].location)
            }
            now[index] = .item(found.key)
        }
        return now
    }

    static func wasRemoved(_ location: Location) -> DocumentError {
        DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
    }

    /// - Returns: what is paused, or was meanwhile, so that nothing is claimed any more.
    private func replaceOutdatedUntilPaused(
        _ item: IndexedItem, on domain: Domain, for request: AccessRequest, _ intention: AccessRequest.Intention,
        purpose: Purpose?, by owner: ClaimOwner, nestedIn: Set<ClaimID>,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> IndexedItem? {
        let claim: ClaimID
        do throws(DocumentError) {
            let outdated = AccessIntention(try storage.read { try $0.coordinated(item) }, .writing(nil))
            claim = try await broker.claim { id in
                Claim(
                    id: id, owner: owner, intentions: [outdated], style: .renewal, purpose: purpose,
                    coordinator: request.coordinator.map { CoordinatorID(owner: owner.id, number: $0) },
                    nestedIn: nestedIn, answering: request.answering.map(MessageID.init), isOfMount: request.isOfMount)
            }.id
        } catch {
            // Asked for inside the tool's own access, or written in another mount: what is here has to do until that one ends.
            guard error.code == .deadlock || error.code == .busy && request.isOfMount else { throw error }
            return nil
        }
        // Who hears of a change reads again: told for nothing, two presenters would make each other read without end.
        var effect = ClaimEffect.unchanged
        defer { broker.end(claim, effects: [effect]) }
        // Changed here, too: sending it shows the conflict.
        let item = try await disk.look(item)
        guard try isOutdated(item) else { return nil }
        do throws(DocumentError) {
            let (now, paused) = try await pending.during(.newerContents, intention, by: owner) {
                () async throws(DocumentError) -> (IndexedItem, IndexedItem?) in
                try await pinKeeper.outlivingAsker(item) {
                    () async throws(DocumentError) -> (IndexedItem, IndexedItem?) in
                    guard item.item.kind == .document else {
                        effect = .changed
                        let paused = try await contents.bring(
                            item, of: domain, renewing: true,
                            started: { [providing] in providing.started($0, for: item.key) }, onProgress)
                        return (item, paused)
                    }
                    let now = try await materialiser.materialiseUntilPaused(item, of: domain, onProgress: onProgress)
                    return (now ?? item, now == nil ? item : nil)
                }
            }
            if now.local != item.local { effect = .changed }
            if let paused { return paused }
            count(now, at: request.location, for: request, by: owner)
        } catch {
            // Offline, or in the middle of an edit: an older version that is here is better than none, and the tool is told
            // the state.
            guard
                error.code.errorClass == .resolvable
                    || [.providerUnavailable, .busy, .unsyncedEdits].contains(error.code)
            else { throw error }
            logger.notice("an outdated document is used", metadata: ["item.id": "\(item.id)", "error": "\(error)"])
        }
        return nil
    }
}

/// What an access was not provided with, because it is paused.
final class PausedContents: Sendable {
    struct Found: Sendable {
        let document: IndexedItem
        /// What was to be accessed: the document, or one that it is a part of.
        let item: CoordinatedItem
    }

    private let state = Mutex<Found?>(nil)

    var first: Found? { state.withLock { $0 } }

    func found(_ document: IndexedItem, in item: CoordinatedItem) {
        state.withLock { $0 = $0 ?? Found(document: document, item: item) }
    }
}
