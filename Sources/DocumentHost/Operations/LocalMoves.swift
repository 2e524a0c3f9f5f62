import DocumentModel
import DocumentStorage
import FileCoordination
import SystemPackage

/// Presenters of what comes into a domain from this machine, or leaves it for this machine: they let go before, and go on with
/// it in its new place (CONT-8, CONT-9).
struct LocalMoves: Sendable {
    /// Something of this machine that is to come into a domain.
    struct Source: Sendable {
        let item: CoordinatedItem
        /// Whose presenters hear of it from itself.
        let tellingItself: ClaimOwner?
        /// What is claimed beside the place that it comes to, in one step: itself, and what is presented inside of it.
        let intentions: [AccessIntention]
    }

    let storage: StorageThreads
    let broker: CoordinationBroker
    let attributes: AttributeWatch
    let outside: OutsidePaths

    /// - Throws: `deadlineExceeded` when the path gives no answer.
    /// - Returns: nil for what nobody can present, because of a name on the way to it.
    func source(_ path: FilePath, tellingItself: ClaimOwner? = nil) async throws(DocumentError) -> Source? {
        let place = try await outside.look(at: path) { () -> FilePath in
            let place = OriginalPath.resolved(path, followingLink: false)
            // It is copied soon: that would hang where this does.
            _ = LocalReach.exists(place.string)
            return place
        }
        guard let item = CoordinatedItem(localPath: place.string) else { return nil }
        let inside = broker.presenters(movingWith: item, notOf: tellingItself).filter { !$0.below.isEmpty }
        var seen: Set<CoordinatedItem> = []
        return Source(
            item: item, tellingItself: tellingItself,
            intentions: ([item] + inside.map(\.item)).filter { seen.insert($0).inserted }.map {
                AccessIntention($0, .writing(.forMoving))
            })
    }

    /// It is an item by now. Who presents what was changed in the old place meanwhile, and is still there, stays there.
    func arrived(_ source: Source?, as item: IndexedItem, in claim: ClaimID?) async {
        guard let source else { return }
        for presenter in broker.presenters(movingWith: source.item, notOf: source.tellingItself) {
            guard let path = presenter.item.localPath, await outside.exists(path) == false else { continue }
            let place = try? storage.read { index -> CoordinatedItem? in
                guard let location = try index.location(of: item.id, in: item.domain) else { return nil }
                return try index.item(at: presenter.below.reduce(location) { $0.appending($1) })
                    .map { try index.coordinated($0) }
            }
            if let place { follow(presenter, to: place, in: claim) }
        }
    }

    /// An item has left its domain, and is at a path of this machine.
    func left(_ item: CoordinatedItem, to path: String, tellingItself: ClaimOwner?, in claim: ClaimID?) async {
        let leaving = broker.presenters(movingWith: item, notOf: tellingItself)
        guard !leaving.isEmpty, let copy = await outside.resolved(FilePath(path)) else { return }
        for presenter in leaving {
            let path = presenter.below.reduce(copy) { $0.appending($1.rawValue) }.string
            guard await outside.exists(path) == true, let place = CoordinatedItem(localPath: path) else { continue }
            follow(presenter, to: place, in: claim)
        }
    }

    private func follow(_ presenter: MovingPresenter, to place: CoordinatedItem, in claim: ClaimID?) {
        broker.follow(presenter, to: place, in: claim)
        if let now = broker.presented(by: presenter.id) { attributes.setItem(now, of: presenter.id) }
    }
}
