import DocumentModel
import DocumentStorage
import FileCoordination

/// Claims of the host's own for replacing what is at a location.
struct ReplacingClaim: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let owner: ClaimOwner

    /// Waits until nobody uses the item.
    ///
    /// - Parameters:
    ///   - place: is claimed with it, in one step.
    ///   - source: what is to replace it, the same.
    /// - Returns: nil when it has been renamed meanwhile: then the claim was on its place, and the location is to be looked
    ///   up anew (COORD-7, COORD-19).
    /// - Throws: `noSuchItem` when it was removed meanwhile.
    func callAsFunction(
        on item: IndexedItem, at location: Location, and place: FreePlace? = nil,
        from source: LocalMoves.Source? = nil
    ) async throws(DocumentError) -> ClaimID? {
        let wanted = try storage.read { try $0.coordinated(item) }
        guard wanted.location == location || item.state == .nameClash else { return nil }
        let intentions =
            ([wanted] + (place.map { [$0.coordinated] } ?? [])).map { AccessIntention($0, .writing(.forReplacing)) }
            + (source?.intentions ?? [])
        let claim = try await broker.claim { id in
            Claim(
                id: id, owner: owner.onBehalf, intentions: intentions, nestedIn: EnclosingClaims.current,
                tellingItself: source?.tellingItself)
        }.id
        do throws(DocumentError) {
            let place = try storage.read { index in
                try index.item(item.id, in: item.domain).map { try index.coordinated($0).location }
            }
            guard let place else {
                throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
            }
            if place == wanted.location { return claim }
        } catch {
            broker.end(claim, effects: intentions.map { _ in .unchanged })
            throw error
        }
        broker.end(claim, effects: intentions.map { _ in .unchanged })
        return nil
    }
}
