import DocumentModel
import DocumentStorage
import FileCoordination

extension CoordinationBroker {
    /// Presenters hear which versions there are since, and which no more (COORD-27), when the claim ends (COORD-24).
    func versions(_ change: VersionChange, of item: CoordinatedItem, in claim: ClaimID? = nil) {
        for gained in change.gained { version(gained.identifier, .gained, of: item, in: claim) }
        for lost in change.lost { version(lost.identifier, .lost, of: item, in: claim) }
    }
}
