public import DocumentModel
public import SystemPackage

/// The capability "versions": keeps versions of documents beside their contents, where every device can have them. Declare
/// it in the manifest too.
///
/// When two devices have changed the same document, one version is what the document has, and the host of the other device has
/// its own one kept here, until somebody resolves the conflict on any of them (VER-2). Say in each item how many of them there
/// are (`Item.conflictVersions`), in listings and in the feed of changes, and let the item's metadata version be another
/// whenever one of them comes or goes: that is how other devices hear of it.
public protocol VersionsProvider: Provider {
    /// The versions that are kept of a document, those of conflicts first: at most
    /// ``/DocumentModel/ProvidedVersion/mostOfOneDocument``.
    ///
    /// Throw `unimplemented` where what this domain is of keeps none.
    func versions(of id: ItemIdentifier) async throws -> [ProvidedVersion]

    /// Writes a version's contents to a staging file, as with
    /// ``Provider/startProvidingItem(_:at:contentVersion:transfer:)``.
    ///
    /// - Returns: the version that lies there now, with its size and, where it is known, its digest: the host refuses what is
    ///   otherwise.
    /// - Throws: `versionNoLongerAvailable` for one that is not kept any more.
    func provideVersion(
        _ versionID: String, of id: ItemIdentifier, at stagingFile: FilePath, transfer: Transfer
    ) async throws -> ProvidedVersion

    /// Keeps a version; the document stays as it is. Return when it is on disk there.
    ///
    /// - Returns: the version; of a repeated operation, the one that was kept the first time.
    /// - Throws: `insufficientQuota` where as many are kept as may be.
    func keepVersion(_ keeping: VersionKeeping, transfer: Transfer) async throws -> ProvidedVersion

    /// A version is not to be kept any more (VER-6). One that is gone already, or whose document is gone, is no failure.
    func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws
}

/// A version that is to be kept.
public struct VersionKeeping: Hashable, Sendable {
    /// The document.
    public var id: ItemIdentifier
    /// A file of the host, to be read until the call ends.
    public var contents: FilePath
    public var role: ProvidedVersion.Role
    /// When the contents were last modified.
    public var modified: Timestamp
    /// The device that saved them; nil where it is not known (VER-9).
    public var savedBy: String?
    /// The SHA-256 of the contents, 32 bytes.
    public var sha256: [UInt8]
    /// The same in every repetition, and in nothing else.
    public var operation: String

    public init(
        id: ItemIdentifier, contents: FilePath, role: ProvidedVersion.Role, modified: Timestamp, savedBy: String? = nil,
        sha256: [UInt8], operation: String
    ) {
        self.id = id
        self.contents = contents
        self.role = role
        self.modified = modified
        self.savedBy = savedBy
        self.sha256 = sha256
        self.operation = operation
    }
}
