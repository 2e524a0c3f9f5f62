package import DocumentModel

/// One thing to do so that here and the remote agree again. It can be done at once: what has to wait for another
/// operation is in a later plan.
package enum SyncOperation: Hashable, Sendable {
    // MARK: At the provider

    /// Make what was made here.
    case create(ItemIdentifier, SyncTrees.Local)
    /// Send what was changed here; the change began from this version.
    case send(ItemIdentifier, base: [UInt8], revision: UInt64)
    /// Move or rename, from where both sides had it.
    case relocate(ItemIdentifier, from: SyncPlace, to: SyncPlace)
    /// Delete a document in the version that was deleted here, or a folder that nothing is left in.
    case delete(ItemIdentifier, base: [UInt8])
    /// Both sides have contents, and are not known to have the same: fetch the remote's beside what is here and compare.
    case compare(ItemIdentifier, version: [UInt8], revision: UInt64)

    /// Bring contents here that somebody waits for; what is replaced is the remote's, too.
    case fetch(ItemIdentifier, version: [UInt8], replacing: UInt64?)

    // MARK: Here

    /// Make a folder or a placeholder.
    case place(ItemIdentifier, SyncTrees.Remote)
    /// Move or rename. Parked: out of another's way, for a moment.
    case relocateHere(ItemIdentifier, from: SyncPlace, to: SyncPlace, parked: Bool)
    /// Remove what is here as both sides had it, or a folder that nothing is left in.
    case remove(ItemIdentifier, SyncTrees.Local)
    /// Take out of sight what has a sibling's name but for case or Unicode form; its contents here are the remote's.
    case hide(ItemIdentifier, SyncTrees.Local)
    /// Show what was hidden.
    case show(ItemIdentifier, SyncTrees.Local)

    /// Drop contents that the provider has, too, when asked once more (XFER-9, XFER-13).
    case evict(ItemIdentifier, SyncTrees.Local, version: [UInt8])
    /// Both sides changed: what loses goes on under another identifier and name, as something made here.
    case keepBoth(ItemIdentifier, Divergence)

    // MARK: In the index alone

    /// Both sides agree: write it down.
    case agree(ItemIdentifier, SyncTrees.Synced)
    /// Gone on both sides.
    case forget(ItemIdentifier)
    /// What was made here is what the provider has under another identifier and the same name.
    case identify(ItemIdentifier, as: ItemIdentifier)
    /// Gone on the remote, and what is here must not go with it: it becomes something that was made here (VER-15).
    case revive(ItemIdentifier)
    /// Deleted here, and what is on the remote now must not go with it: it is shown here again (VER-15).
    case restore(ItemIdentifier)

    /// Two contents of one item, and which of them it keeps.
    package struct Divergence: Hashable, Sendable {
        /// The remote's, which lie in staging.
        package var theirs: SyncTrees.Remote
        /// Ours.
        package var revision: UInt64
        /// Whether ours stay the item's.
        package var keepsOurs: Bool
        package var copyID: ItemIdentifier
        package var copyPlace: SyncPlace

        package init(
            theirs: SyncTrees.Remote, revision: UInt64, keepsOurs: Bool, copyID: ItemIdentifier, copyPlace: SyncPlace
        ) {
            self.theirs = theirs
            self.revision = revision
            self.keepsOurs = keepsOurs
            self.copyID = copyID
            self.copyPlace = copyPlace
        }

        /// The later contents win, by both stamps: whoever compares them, on whatever machine, says the same (VER-12).
        package static func keepsOurs(_ ours: VersionStamp, over theirs: VersionStamp) -> Bool { theirs < ours }
    }

    package enum Side: Hashable, Sendable {
        case provider
        case here
        case index
    }

    package var side: Side {
        switch self {
        case .create, .send, .relocate, .delete, .compare, .fetch: .provider
        case .place, .relocateHere, .remove, .hide, .show, .evict, .keepBoth: .here
        case .agree, .forget, .identify, .revive, .restore: .index
        }
    }

    package var id: ItemIdentifier {
        switch self {
        case .create(let id, _), .send(let id, _, _), .relocate(let id, _, _), .delete(let id, _),
            .compare(let id, _, _), .fetch(let id, _, _), .evict(let id, _, _), .keepBoth(let id, _), .place(let id, _),
            .relocateHere(let id, _, _, _), .remove(let id, _),
            .hide(let id, _), .show(let id, _), .agree(let id, _), .forget(let id), .identify(let id, _),
            .revive(let id), .restore(let id):
            id
        }
    }

    /// The name that it takes in a folder, at the provider or here.
    package var takes: SyncPlace? {
        switch self {
        case .create(_, let node): node.place
        case .relocate(_, _, let place), .relocateHere(_, _, let place, _): place
        case .place(_, let node): node.place
        case .show(_, let node): node.place
        case .keepBoth(_, let divergence): divergence.copyPlace
        default: nil
        }
    }
}
