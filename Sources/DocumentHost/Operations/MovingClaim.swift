import DocumentModel
import DocumentStorage
import FileCoordination

/// The claims under which an item gets another place: one on the item and one on the place, in one step (COORD-30,
/// COORD-33); what the tool that asks holds already is not claimed once more.
struct MovingClaim: Sendable {
    /// That on the item.
    let onItem: ClaimID
    private let own: (id: ClaimID, count: Int)?
    private let broker: CoordinationBroker

    /// - Parameters:
    ///   - held: the claim for moving the item that the tool holds.
    ///   - patience: how long others are waited for; nil: as long as it takes.
    init(
        _ item: CoordinatedItem, to place: FreePlace, under held: ClaimID?, by tool: ClaimOwner?,
        within patience: Duration?, accesses: AccessTable, broker: CoordinationBroker, owner: ClaimOwner
    ) async throws(DocumentError) {
        let around = held.map { EnclosingClaims.current.union([$0]) } ?? EnclosingClaims.current
        let isPlaceHeld =
            accesses.isHeld(place.coordinated, by: around, orOf: tool)
            || tool.flatMap {
                accesses.claim(of: $0, on: place.coordinated.subject, for: .writing(.forReplacing))
            } != nil
        var wanted = held == nil ? [AccessIntention(item, .writing(.forMoving))] : []
        if !isPlaceHeld { wanted.append(AccessIntention(place.coordinated, .writing(.forReplacing))) }
        self.broker = broker
        if wanted.isEmpty, let held {
            onItem = held
            own = nil
            return
        }
        let intentions = wanted
        let id = try await broker.claim { id in
            Claim(
                id: id, owner: owner.onBehalf, intentions: intentions, nestedIn: around, patience: patience)
        }.id
        onItem = held ?? id
        own = (id, wanted.count)
    }

    /// Moves are told as such.
    func end() {
        if let own { broker.end(own.id, effects: Array(repeating: .unchanged, count: own.count)) }
    }
}
