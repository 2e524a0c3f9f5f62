package import DocumentModel

/// What came of an operation: what was observed, not what was meant.
package enum SyncAnswer: Hashable, Sendable {
    /// The provider has the item so, now.
    case item(ItemIdentifier, SyncTrees.Remote)
    case deleted
    /// The item is so on disk, now.
    case here(SyncTrees.Local)
    case removed
    /// The remote's contents beside ours, fetched whole and verified.
    case compared(SyncTrees.Remote, Comparison)
    /// What lost is on disk so, under its new identifier.
    case keptBoth(copy: SyncTrees.Local)
    /// Somebody was faster: nothing was done, and this is what was seen instead.
    case overtaken([TreeChange])

    package enum Comparison: Hashable, Sendable {
        /// The same as what is here.
        case same
        /// What was sent from here, in this state of the file, without an answer having come.
        case sent(revision: UInt64)
        case different
    }
}
