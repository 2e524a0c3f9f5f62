package import DocumentModel

/// What the shell around ``CoordinationStateMachine`` has to do.
package enum CoordinationAction: Hashable, Sendable {
    /// Let the claim's accessor run; the items are where they are now, in the order of the intentions (COORD-7).
    case grant(ClaimID, [Location])
    /// Answer the claim with the error; it is gone.
    case refuse(ClaimID, DocumentError)
    /// Have the items' contents provided, and say so with `provided`: nobody else writes meanwhile (COORD-9).
    case provide(ClaimID, [CoordinatedItem])
    /// Make snapshots of the items, and say so with `snapshotsMade` (COORD-14).
    case makeSnapshots(ClaimID, [CoordinatedItem])
    /// Tell a presenter, and pass its answer to `answered`.
    case deliver(PresenterMessage, MessageID, to: PresenterID)
    /// A presenter did not answer in time and is gone.
    case drop(DroppedPresenter)
    /// Tell a connection of a deadlock that one of its claims was part of; another party's claim was refused.
    case report(Deadlock, to: ClaimOwner)
    /// Ask a presenter of a document that was not created yet where it is by now (COORD-29).
    case rereadItem(of: PresenterID)
}
