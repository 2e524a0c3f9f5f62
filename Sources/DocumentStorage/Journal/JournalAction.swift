/// The actions of more than one step, each of them written down before it begins.
package enum JournalAction: String, CaseIterable, Sendable {
    /// Contents of an item come from the provider.
    case materialise
    /// A coordinated write is under way or has ended; what it left is to be recorded.
    case recordChange
    /// Changed contents go to the provider.
    case send
    /// A copy of a local document goes to the provider as a new item; also a new folder.
    case export
    /// A local document becomes an item, and is gone from its old place.
    case move
    /// A local document, or a folder with all that is in it, becomes an item at once, and is sent later.
    case arrive
    /// A tool writes a document where no item is; what it left is to be taken in.
    case make
    /// A tool writes in a package; what it left there is to be taken in.
    case editPackage
    /// An item was removed here, and its provider is to hear of that.
    case drop
    /// An item was given another place here, and its provider is to hear of that.
    case relocate
    /// An item of which a copy is elsewhere goes away, with all that is in it.
    case leave
    /// All of a container but the user's documents goes away.
    case clear
    /// Contents leave, a placeholder stays.
    case evict
    /// An item gets another name or folder.
    case rename
    /// An item goes away.
    case remove
}

/// What an action has behind it. Steps are named for what is true, durably, once they are reached.
package enum JournalStep: String, CaseIterable, Sendable {
    // materialise
    /// The entry is written; the item is `materialising`; a staging file may exist.
    case materialiseBegan
    /// The staging file is whole, verified, stamped and flushed.
    case materialiseVerified
    /// The file is at the item's place.
    case materialisePublished
    /// The index says `materialised`; the entry is closed.
    case materialiseRecorded

    // recordChange
    /// The entry is written: from here the file may change.
    case changeExpected
    /// The index says `changed` (or that nothing did); the entry is closed.
    case changeRecorded

    // send
    /// The snapshot is being made, and nothing of it is written down. An entry of an earlier version says so, too.
    case sendBegan
    /// The snapshot to send is whole; the entry is written with the operation's name and the base version; the item is
    /// `sending`.
    case sendSnapshotTaken
    /// The provider's answer is recorded; the entry is closed.
    case sendRecorded

    // export
    /// The entry is written with the operation's name and the source.
    case exportBegan
    /// The copy to send is whole.
    case exportStaged
    /// The provider has made it, and has said so; in the journal this is `exportStaged` still.
    case exportAnswered
    /// The new item is in the index; the entry is closed unless its contents are to stay here.
    case exportRecorded

    // move
    /// The entry is written with the operation's name and the source.
    case moveBegan
    /// The copy to send is whole and flushed.
    case moveStaged
    /// The provider has made it, and has said so; in the journal this is `moveStaged` still.
    case moveAnswered
    /// The new item is in the index.
    case moveRecorded
    /// The contents are at the item's place, flushed, folder included.
    case movePublished
    /// The source is gone, if it was still what had been sent; the entry is closed.
    case moveSourceRemoved

    // arrive
    /// The entry is written with the source and the place.
    case arriveBegan
    /// The copy is whole and flushed; the entry says what was copied.
    case arriveStaged
    /// The copy is at its place in the tree, flushed, folder included. Seen from the disk: the entry says `arriveStaged`.
    case arrivePublished
    /// All of it is in the index, and is to be sent.
    case arriveRecorded
    /// The source is gone, as far as it still was what had been copied; the entry is closed.
    case arriveSourceRemoved

    // make
    /// The entry is written: from here a file may be at the place.
    case makeExpected
    /// What lies there is in the index, flushed, and is to be sent (or nothing was written); the entry is closed.
    case makeRecorded

    // editPackage
    /// The entry is written: from here anything in the package may change.
    case editsExpected
    /// The index has what lies there: what was changed and what is new is to be sent; the entry is closed.
    case editsRecorded

    // drop
    /// The item is going, in the index; the entry says which version of it was removed.
    case itemDropped
    /// The provider has removed it, or has another version of it, which is in the index; the entry is closed.
    case dropFinished

    // relocate
    /// The item has its new place, in the index; the entry says from where to where, and which version of it was there.
    case documentRelocated
    /// The provider has it there, too, or the item is where the provider has it; the entry is closed.
    case relocationFinished

    // leave
    /// The copy is whole and flushed; the entry says where it is, and what was copied.
    case leaveBegan
    /// Every part of it was removed; the entry is closed.
    case leaveFinished

    // clear
    /// The entry says what is to go.
    case clearBegan
    /// It went, or what is left of it stays; the entry is closed.
    case clearFinished

    // evict
    /// The entry is written with the identity of the file to drop.
    case evictBegan
    /// The placeholder is there, still behind the file.
    case evictPlaceholderWritten
    /// The file is gone.
    case evictContentsRemoved
    /// The index says `placeholder`; the entry is closed.
    case evictRecorded

    // rename
    /// The entry is written with the operation's name, the old and the new place.
    case renameBegan
    /// The provider has said yes; in the journal this is `renameBegan` still.
    case renameAnswered
    /// The provider said yes and the index has the new place (or the provider told of it by itself).
    case renameRecorded
    /// The tree on disk has the new place; the entry is closed after it.
    case renameMoved
    case renameFinished

    // remove
    /// The entry is written with the operation's name and the place.
    case removeBegan
    /// The provider has said yes; in the journal this is `removeBegan` still.
    case removeAnswered
    /// The provider said yes, or told of it by itself; the index says that the item is going.
    case removeRecorded
    /// Contents that were here are in the trash; in the journal this is `removeRecorded` still.
    case removeKept
    /// Nothing of it is in the tree on disk any more.
    case removeCleared
    case removeFinished

    /// Whether what is left to do is to have the tree on disk follow the index.
    var isForTree: Bool {
        switch self {
        case .renameRecorded, .renameMoved, .removeRecorded, .removeCleared: true
        default: false
        }
    }

    package var action: JournalAction {
        switch self {
        case .materialiseBegan, .materialiseVerified, .materialisePublished, .materialiseRecorded: .materialise
        case .changeExpected, .changeRecorded: .recordChange
        case .sendBegan, .sendSnapshotTaken, .sendRecorded: .send
        case .exportBegan, .exportStaged, .exportAnswered, .exportRecorded: .export
        case .moveBegan, .moveStaged, .moveAnswered, .moveRecorded, .movePublished, .moveSourceRemoved: .move
        case .arriveBegan, .arriveStaged, .arrivePublished, .arriveRecorded, .arriveSourceRemoved: .arrive
        case .makeExpected, .makeRecorded: .make
        case .editsExpected, .editsRecorded: .editPackage
        case .itemDropped, .dropFinished: .drop
        case .documentRelocated, .relocationFinished: .relocate
        case .leaveBegan, .leaveFinished: .leave
        case .clearBegan, .clearFinished: .clear
        case .evictBegan, .evictPlaceholderWritten, .evictContentsRemoved, .evictRecorded: .evict
        case .renameBegan, .renameAnswered, .renameRecorded, .renameMoved, .renameFinished: .rename
        case .removeBegan, .removeAnswered, .removeRecorded, .removeKept, .removeCleared, .removeFinished: .remove
        }
    }
}

/// Is told of each step once it is durable. A test ends the process there, or throws to leave the action as a crash
/// would.
package protocol StepObserver: Sendable {
    func reached(_ step: JournalStep) throws
    /// Only for the simulator: whether a precaution is not taken.
    func leavesOut(_ precaution: Precaution) -> Bool
}

extension StepObserver {
    package func leavesOut(_ precaution: Precaution) -> Bool { false }
}
