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
    /// - Returns: nil for a tool that holds the place itself: what it asks for inside of that is done under it.
    func callAsFunction(
        on name: ItemName, in folder: IndexedItem, at location: Location
    ) async throws(DocumentError) -> ClaimID? {
        let around = try storage.read { try $0.coordinated(folder) }
        let wanted = FreePlace(name, in: folder, around, at: location).coordinated
        guard !accesses.isHeld(wanted, by: EnclosingClaims.current, orOf: Asker.current?.owner) else { return nil }
        return try await broker.claim(
            wanted, for: .writing(.forReplacing), by: owner.onBehalf, nestedIn: EnclosingClaims.current)
    }

    /// What happened there is told by whoever made it.
    func end(_ claim: ClaimID?) {
        if let claim { broker.end(claim, effects: [.unchanged]) }
    }
}
