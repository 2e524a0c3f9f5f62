public import DocumentModel
public import SystemPackage

/// A provider extension: gives access to documents that are kept elsewhere.
///
/// Conform a type to it, mark the type `@main`, and the executable is a provider. The host starts one process a
/// domain; ``init(context:)`` is told which. Calls come side by side. For one item there is one change at a time and, as a
/// rule, one reading of the whole document; all else may overlap, so guard what calls share. Handlers may block. There is
/// no fixed order of the calls, and any call may be repeated (PROV-12, PROV-19).
///
/// What the provider throws arrives at the reader as it was thrown when it is a `DocumentError` (PROV-14). A
/// `CancellationError` becomes `cancelled`, an `Errno` `localStorage`, and anything else `internal` with the thrown
/// value's description.
public protocol Provider: Sendable {
    /// The provider's own version, for logs.
    static var version: String { get }

    /// The identifier of the domain's top folder; `ItemIdentifier.root` by default.
    var rootID: ItemIdentifier { get }

    /// Opens the domain. Quick: the host waits ten seconds for the hello, of which this is a part, and does not answer
    /// before. Throw when the settings make no sense: every request then fails with the error, until the host starts
    /// the provider anew, so connect to servers later and as often as it takes.
    init(context: ProviderContext) async throws

    /// The metadata of one item. Throw `noSuchItem` only after making sure.
    func item(for id: ItemIdentifier) async throws -> Item

    /// One page of a folder's items, with the metadata of each.
    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage

    /// Metadata is wanted for an item that has neither contents nor placeholder: write the placeholder through
    /// ``ProviderContext/writePlaceholder(_:)``, then return (PROV-7).
    func providePlaceholder(for id: ItemIdentifier) async throws

    /// Contents are wanted: write all of them to the staging file, which exists and is empty, and return the item in
    /// exactly the version written (PROV-8).
    ///
    /// - Parameters:
    ///   - id: the document's identifier.
    ///   - stagingFile: where to write: to be kept in its place, and left alone after the return.
    ///   - contentVersion: the version wanted; empty for the current one.
    ///   - transfer: where to report progress, and to learn of a cancel.
    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item

    /// A coordinated write by another process has ended. Returns at once (PROV-9).
    func itemChanged(_ id: ItemIdentifier) async throws

    /// Nobody uses the item any more (PROV-10).
    func stopProvidingItem(_ id: ItemIdentifier) async throws

    /// The identifier of the item at a path relative to the top folder; nil when nothing is there (PROV-5). By
    /// default identifiers are paths. Replace it together with ``path(for:)`` or not at all (ID-3).
    func persistentIdentifier(forItemAt path: String) async throws -> ItemIdentifier?

    /// The inverse of ``persistentIdentifier(forItemAt:)``; nil when there is no such item (PROV-6).
    func path(for id: ItemIdentifier) async throws -> String?
}

/// The capability "modifying": items can be made, changed and removed.
public protocol ModifyingProvider: Provider {
    /// Makes an item. Throws `nameCollision`, and changes nothing, when the name is taken. A repeated create with the
    /// same operation answers with the item that the first one made.
    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item

    /// Changes an item, all that is asked or nothing. Throws `versionNoLongerAvailable` when a part of the base
    /// version that is set is not the current one.
    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item

    /// Removes an item. Removing what is gone succeeds; a folder with items fails with `directoryNotEmpty` unless the
    /// deletion is recursive.
    func deleteItem(_ deletion: ItemDeletion) async throws
}

/// The capability "changes": a feed of what changed on the remote.
public protocol ChangeFeedProvider: Provider {
    /// The newest point of the feed. Throw `unimplemented` where what this domain is of tells of no changes: folders are
    /// listed instead, until the provider is started anew or calls ``ProviderContext/signalChanges()``.
    func currentAnchor() async throws -> SyncAnchor

    /// What changed after an anchor. Throws `anchorExpired` for one that is too old or unknown. Tell the host that
    /// there is something new through ``ProviderContext/signalChanges()``.
    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges
}

/// The capability "ranges": gives parts of a document's contents, so that a large one can be read before all of it is here, and
/// goes on where it was interrupted. Declare it in the manifest too.
public protocol RangeProvider: Provider {
    /// Writes a part of a document's contents to the same place of the staging file, which has the document's size already,
    /// and returns the item in the version that it is of. Nothing else of the file is changed. Parts of one document may be asked
    /// for side by side.
    ///
    /// Throws `versionNoLongerAvailable` when the current version is another, `invalidArgument` when there is no such part, and
    /// `unimplemented` where this document, or this domain, has no parts: then the whole is asked for.
    ///
    /// - Parameters:
    ///   - range: in bytes from the beginning; never empty.
    ///   - contentVersion: the version that is wanted; never empty.
    ///   - stagingFile: where to write: to be kept in its place, and left alone after the return.
    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) async throws -> Item
}

/// The capability "sign-in": asks whoever signs in what it needs beside settings (``ProviderContext/prompt(_:)``), and keeps
/// secrets of its own (``ProviderContext/store(secret:named:)``). Declare it in the manifest too.
///
/// A sign-in begins without such secrets, and asks for the top folder: prompt then, keep what is to be kept, and answer. When
/// nobody is signing in, ``ProviderContext/prompt(_:)`` throws `notAuthenticated`; pass that on.
public protocol SignInProvider: Provider {}

/// What ``ModifyingProvider/createItem(_:transfer:)`` makes.
public struct ItemCreation: Hashable, Sendable {
    public var parentID: ItemIdentifier
    public var name: ItemName
    public var kind: ItemKind
    /// The contents, to be read until the call returns; nil for a folder.
    public var contents: FilePath?
    public var modified: Timestamp?
    /// A random name of the operation, the same in every retry.
    public var operation: String

    public init(
        parentID: ItemIdentifier, name: ItemName, kind: ItemKind, contents: FilePath?, modified: Timestamp?,
        operation: String
    ) {
        self.parentID = parentID
        self.name = name
        self.kind = kind
        self.contents = contents
        self.modified = modified
        self.operation = operation
    }
}

/// What ``ModifyingProvider/modifyItem(_:transfer:)`` changes; what is nil stays.
public struct ItemModification: Hashable, Sendable {
    public var id: ItemIdentifier
    /// The version that the change began from; an empty part is not checked.
    public var baseVersion: ItemVersion
    public var contents: FilePath?
    public var name: ItemName?
    public var parentID: ItemIdentifier?
    public var modified: Timestamp?
    public var operation: String

    public init(
        id: ItemIdentifier, baseVersion: ItemVersion, contents: FilePath? = nil, name: ItemName? = nil,
        parentID: ItemIdentifier? = nil, modified: Timestamp? = nil, operation: String
    ) {
        self.id = id
        self.baseVersion = baseVersion
        self.contents = contents
        self.name = name
        self.parentID = parentID
        self.modified = modified
        self.operation = operation
    }
}

/// What ``ModifyingProvider/deleteItem(_:)`` removes.
public struct ItemDeletion: Hashable, Sendable {
    public var id: ItemIdentifier
    /// An empty part is not checked.
    public var baseVersion: ItemVersion
    /// Also when it is a folder with items in it.
    public var recursive: Bool
    public var operation: String

    public init(id: ItemIdentifier, baseVersion: ItemVersion, recursive: Bool, operation: String) {
        self.id = id
        self.baseVersion = baseVersion
        self.recursive = recursive
        self.operation = operation
    }
}
