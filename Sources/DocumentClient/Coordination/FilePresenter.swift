public import DocumentModel

/// Shows a document or a folder, and is told what other tools, providers and the host do with it.
///
/// Register it with ``DocumentClient/addPresenter(_:)``, best inside of a coordinated read of the document: then no change
/// is missed (COORD-31). Messages come one at a time (COORD-29), where the presenter is at home: to an actor on that actor, to
/// a class of the main actor on that one, to any other on the threads of the client. What more a presenter can do, it declares by conforming to
/// ``SavingFilePresenter`` and the others; it gets no message that it has not declared. While it answers, use a
/// ``FileCoordinator`` that was made with it: one that was not waits for the very access that waits for the answer.
public protocol FilePresenter: AnyObject, Sendable {
    /// What it presents; nil when the document is not created yet. Read again after the presenter's own coordinated
    /// write. May be read on any thread.
    var presentedItemLocation: Location? { get }
    /// How long it may take for one message; then it is dropped, and the others go on. 30 seconds when nothing is said.
    var patience: Duration { get }

    /// Contents, or what a program keeps in attributes of the file, have changed: compare the modification date, inside of a coordinated read (COORD-28).
    func presentedItemDidChange() async
    /// The item, or a folder around it, was renamed or moved.
    func presentedItemDidMove(to location: Location) async
    /// It did not answer in time, gets no more messages, and has to be added again.
    func presenterWasDropped(because reason: String) async
}

extension FilePresenter {
    public var patience: Duration { .seconds(30) }
    public func presentedItemDidChange() async {}
    public func presentedItemDidMove(to location: Location) async {}
    public func presenterWasDropped(because reason: String) async {}
}

/// A presenter that reads the file on its own, and stops while others write (COORD-23).
public protocol WriterRelinquishingFilePresenter: FilePresenter {
    /// Others are about to write: returns when nothing reads or writes any more.
    func relinquishPresentedItemToWriter() async throws
    /// The others are done.
    func reacquirePresentedItem() async
}

/// A presenter that lets go while others read or write: what it does on its own with the file stops meanwhile (COORD-23).
public protocol RelinquishingFilePresenter: WriterRelinquishingFilePresenter {
    /// Others are about to read: returns when nothing writes any more.
    func relinquishPresentedItemToReader() async throws
}

/// A presenter with changes that are not in the file yet.
public protocol SavingFilePresenter: FilePresenter {
    /// Writes what is not saved, through a coordinator that was made with this presenter: such a write passes before the
    /// read that waits for it (COORD-32). An error makes that read fail (COORD-25).
    func savePresentedItemChanges() async throws
}

/// A presenter that wants to know before its document goes away.
public protocol DeletionAccommodatingFilePresenter: FilePresenter {
    /// The document is about to be deleted or replaced: returns when it is closed.
    func accommodatePresentedItemDeletion() async throws
}

/// A presenter whose document's contents may leave this machine while it presents it. Without this, they stay (COORD-41).
public protocol EvictionAccommodatingFilePresenter: FilePresenter {
    /// The contents are about to leave: returns when the presenter can do without them. An error keeps them here.
    func accommodatePresentedItemEviction() async throws
}

/// A presenter of a folder or a package that wants to know what happens inside.
public protocol FolderPresenter: FilePresenter {
    /// Something is in it that was not before (COORD-26).
    func presentedSubitemDidAppear(at location: Location) async
    /// Contents of something inside, or what a program keeps in attributes of its file, have changed (COORD-28).
    func presentedSubitemDidChange(at location: Location) async
    /// Something inside was renamed or moved, perhaps out of it.
    func presentedSubitem(at location: Location, didMoveTo destination: Location) async
    /// A version of something inside came to be: a conflict's other side, say (COORD-27). Told to who is a
    /// ``VersionPresenter`` as well; counts as a change when nothing else is said.
    func presentedSubitem(at location: Location, didGainVersion version: String) async
    /// A version of something inside is no longer kept.
    func presentedSubitem(at location: Location, didLoseVersion version: String) async
    /// A conflict of something inside was resolved.
    func presentedSubitem(at location: Location, didResolveConflictVersion version: String) async
    /// Something inside of a package is about to be deleted.
    func accommodatePresentedSubitemDeletion(at location: Location) async throws
}

extension FolderPresenter {
    public func presentedSubitemDidAppear(at location: Location) async {}
    public func presentedSubitemDidChange(at location: Location) async {}
    public func presentedSubitem(at location: Location, didMoveTo destination: Location) async {}
    public func presentedSubitem(at location: Location, didGainVersion version: String) async {
        await presentedSubitemDidChange(at: location)
    }
    public func presentedSubitem(at location: Location, didLoseVersion version: String) async {
        await presentedSubitemDidChange(at: location)
    }
    public func presentedSubitem(at location: Location, didResolveConflictVersion version: String) async {
        await presentedSubitemDidChange(at: location)
    }
    public func accommodatePresentedSubitemDeletion(at location: Location) async throws {}
}

/// A presenter that shows versions (COORD-27).
public protocol VersionPresenter: FilePresenter {
    /// A version came to be, by its ``DocumentVersion/id``: a conflict's other side, say.
    func presentedItemDidGainVersion(_ version: String) async
    /// A version is no longer kept.
    func presentedItemDidLoseVersion(_ version: String) async
    /// The conflict that this version was one side of was resolved, here or elsewhere.
    func presentedItemDidResolveConflictVersion(_ version: String) async
}

/// A presenter that shows where its document stands between this machine and the remote (COORD-41).
public protocol AttributePresenter: FilePresenter {
    /// Those that it is told of. Read once, when it is added.
    var observedPresentedItemAttributes: Set<ItemAttribute> { get }
    /// These have changed: ask for the item, and show what is so now.
    func presentedItemDidChange(attributes: Set<ItemAttribute>) async
}
