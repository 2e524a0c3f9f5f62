import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

extension AccessGranter {
    /// A package is as old as its oldest part.
    func isOutdated(_ item: IndexedItem) throws(DocumentError) -> Bool {
        guard item.item.kind == .package else { return item.state == .outdated }
        return try storage.read { try $0.subtree(of: item.id, in: item.domain) }
            .contains { $0.state == .outdated && !$0.isGone }
    }

    /// The file that others may be reading is replaced only when nobody reads it any more.
    func replaceOutdated(
        _ item: IndexedItem, on domain: Domain, for request: AccessRequest, purpose: Purpose?, by owner: ClaimOwner,
        nestedIn: Set<ClaimID>, onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) {
        let claim: ClaimID
        do throws(DocumentError) {
            let outdated = AccessIntention(try storage.read { try $0.coordinated(item) }, .writing(nil))
            claim = try await broker.claim { id in
                Claim(
                    id: id, owner: owner, intentions: [outdated], style: .renewal, purpose: purpose,
                    coordinator: request.coordinator.map { CoordinatorID(owner: owner.id, number: $0) },
                    nestedIn: nestedIn, answering: request.answering.map(MessageID.init))
            }.id
        } catch {
            // Asked for inside the tool's own access: what is here has to do until that one ends.
            guard error.code == .deadlock else { throw error }
            return
        }
        // Who hears of a change reads again: told for nothing, two presenters would make each other read without end.
        var effect = ClaimEffect.unchanged
        defer { broker.end(claim, effects: [effect]) }
        // Changed here, too: sending it shows the conflict.
        let item = try await disk.look(item)
        guard try isOutdated(item) else { return }
        do throws(DocumentError) {
            let now = try await pending.during(.newerContents, request.intentions[0], by: owner) {
                () async throws(DocumentError) -> IndexedItem in
                try await pinKeeper.outlivingAsker(item) { () async throws(DocumentError) in
                    guard item.item.kind == .document else {
                        effect = .changed
                        try await contents.bring(
                            item, of: domain, renewing: true,
                            started: { [providing] in providing.started($0, for: item.key) }, onProgress)
                        return item
                    }
                    return try await materialiser.materialise(item, of: domain, onProgress: onProgress)
                }
            }
            if now.local != item.local { effect = .changed }
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
    }
}
