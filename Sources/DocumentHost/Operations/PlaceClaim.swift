import DocumentModel
import DocumentStorage
import FileCoordination

/// Claims of the host's own on places where it is about to make something: whoever writes there is waited for
/// (COORD-19, PICK-2).
struct PlaceClaim: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let accesses: AccessTable
    let owner: ClaimOwner

    /// Waits until nobody uses the place. What is there by then is the caller's to look at.
    ///
    /// - Parameters:
    ///   - patience: how long that may take; nil: as long as it does.
    ///   - source: what is to be there; nobody uses that either by then (CONT-8).
    /// - Returns: nil for a tool that holds the place itself: what it asks for inside of that is done under it.
    func callAsFunction(
        on name: ItemName, in folder: IndexedItem, at location: Location, within patience: Duration? = nil,
        from source: LocalMoves.Source? = nil
    ) async throws(DocumentError) -> ClaimID? {
        let around = try storage.read { try $0.coordinated(folder) }
        let wanted = FreePlace(name, in: folder, around, at: location).coordinated
        guard !accesses.isHeld(wanted, by: EnclosingClaims.current, orOf: Asker.current?.owner) else { return nil }
        let intentions = [AccessIntention(wanted, .writing(.forReplacing))] + (source?.intentions ?? [])
        return try await broker.claim { id in
            Claim(
                id: id, owner: owner.onBehalf, intentions: intentions, nestedIn: EnclosingClaims.current,
                patience: patience, tellingItself: source?.tellingItself)
        }.id
    }

    /// What happened there is told by whoever made it.
    func end(_ claim: ClaimID?) {
        if let claim { broker.end(claim, effects: [.unchanged]) }
    }
}
