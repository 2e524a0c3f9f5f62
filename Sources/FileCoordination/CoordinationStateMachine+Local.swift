package import DocumentModel

/// A presenter of what comes into a domain, or leaves one.
package struct MovingPresenter: Hashable, Sendable {
    package let id: PresenterID
    /// Where what it presents is before.
    package let item: CoordinatedItem
    /// The names that lead to that from what moves.
    package let below: [ItemName]
}

/// Presenters that stay with what they present when it comes into a domain, or leaves it (CONT-8, CONT-9).
extension CoordinationStateMachine {
    /// Those of something that moves, and of what lies inside of it, the oldest first.
    ///
    /// - Parameter owner: whose own are not among them: it tells them itself.
    package func presenters(movingWith item: CoordinatedItem, notOf owner: ClaimOwner?) -> [MovingPresenter] {
        let ids =
            item.localPath == nil
            ? (tree[item.subject]?.presenters ?? []) + tree.presentersInside(item.subject) : Array(presenters.keys)
        return ids.sorted().compactMap { id in
            guard let presenter = presenters[id]?.presenter, presenter.owner != owner, let presented = presenter.item,
                let below = presented.names(below: item)
            else { return nil }
            return MovingPresenter(id: id, item: presented, below: below)
        }
    }

    /// A presenter's item is elsewhere by now, in a domain or out of it: it presents that one, and is told when the claim has
    /// ended (COORD-24). One that presents something else meanwhile is left alone, and so is one that cannot present what is
    /// out of its domain.
    package mutating func follow(
        _ presenter: MovingPresenter, to place: CoordinatedItem, in claim: ClaimID?, at time: Duration = .zero
    ) -> [CoordinationAction] {
        let message: PresenterMessage = place.localPath.map { .didMoveOut(to: $0) } ?? .didMove(to: place.location)
        return turn(at: time) { machine in
            guard let presented = machine.presenters[presenter.id]?.presenter.item,
                presented.location == presenter.item.location,
                place.localPath == nil || machine.declares(presenter.id, message)
            else { return }
            machine.tree.remove(presenter.id, at: presented)
            let place = machine.current(place)
            machine.presenters[presenter.id]?.presenter.item = place
            machine.tree.insert(presenter.id, at: place)
            if let claim, machine.records[claim]?.stage == .granted {
                machine.records[claim]?.afterwards.append(
                    ClaimRecord.Telling(presenter: presenter.id, message: message))
            } else {
                machine.tell(presenter.id, message)
            }
        }
    }
}
