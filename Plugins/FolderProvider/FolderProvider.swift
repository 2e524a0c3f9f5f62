internal import DocumentModel
internal import DocumentProvider
internal import SystemPackage

/// Provides a folder of this machine, as if it were somewhere else.
///
/// What it does where there is a choice:
///
/// - An item is its file (inode and birth), so it stays the same when it is renamed or moved. A document also stays the
///   same when an editor puts another file in its place (``FolderTree``).
/// - A content version is made of inode, size and times, and kept over renames (``FolderRecord``). A change that no call
///   of the system tells (through a writable mapping, until the kernel writes it out) shows late.
/// - Of contents that the host has, a digest is known (``ContentDigest``), unless they are large. Where only a file's time of
///   change is another, it is read: a mode or an attribute that was set makes no other version, and what was written with its
///   time set back does.
/// - Nothing of another file system that is mounted inside the folder is provided, nor symlinks, devices, sockets and
///   pipes. People are told how many of them are left out (``LeftOut``).
/// - A name that is not UTF-8, or has control characters, is shown by one that looks like it (``DiskName``), and by a shorter
///   one where that is too long; the file is known by its whole name all the same (``EntryName``).
/// - Contents are replaced as a whole, by another file. Permissions, owner and attributes are kept; other names (hard
///   links) of the old file keep the old contents. A document that some program has open for writing is not replaced
///   or removed: what that program writes would be lost. The system tells that by refusing a lease; where it gives none
///   at all, as on networks whose server delegates nothing, or of files of another user (without `CAP_LEASE`), nobody can
///   tell: no other way shows an unprivileged process which files those of other users have open.
/// - Several providers, and people, may work in the same folder. Temporary files (`.docent-tmp-…`) are in the folder
///   where they are going to have their place, and are never listed.
/// - Where a file system can neither exchange names nor spare one that is taken, as those of networks, what has a name is
///   taken away under a temporary one, looked at there, and put back unless it is what was expected. A name that another
///   machine has taken meanwhile stays with what that has saved; the other file is kept beside it as `… (recovered)`.
///   When the network goes in between, the file has its name again when it is back.
/// - No picture is made. Thumbnails are those that programs of the desktop have left beside documents
///   (``SharedThumbnail``); a small picture is its own.
/// - Sides of conflicts are kept in a folder that is never listed (``VersionsFolder``), where all providers of the same
///   folder see them.
@main
final class FolderProvider: Provider, ModifyingProvider, ChangeFeedProvider, RangeProvider, PickerProvider,
    ThumbnailProvider, VersionsProvider, QuotaProvider
{
    static let version = "1.0"

    private let domain: FolderDomain
    private let watcher: FolderWatcher
    private let context: ProviderContext

    init(context: ProviderContext) async throws {
        self.context = context
        let hostFolders = FolderSettings.hostFolders(
            storageRoot: context.documentStorageURL, stateFolder: context.stateFolder)
        domain = try FolderDomain(
            settings: try FolderSettings(context.settings, stateFolder: context.stateFolder, hostFolders: hostFolders),
            deviceName: context.deviceName, logger: context.logger,
            signalChanges: { context.signalChanges() },
            signalReachable: { context.signalErrorResolved([.serverUnreachable]) },
            tellLeftOut: { context.note($0, isWarning: !$0.isEmpty) })
        watcher = FolderWatcher(domain)
    }

    func item(for id: ItemIdentifier) async throws -> Item {
        try domain.item(for: id)
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        try domain.items(in: container, page: page, suggestedCount: suggestedCount)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await context.writePlaceholder(try domain.item(for: id))
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try domain.provide(id, at: stagingFile, contentVersion: contentVersion, TransferMonitor(transfer))
    }

    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) async throws -> Item {
        try domain.provide(range, of: id, contentVersion: contentVersion, at: stagingFile, TransferMonitor(transfer))
    }

    func thumbnail(
        for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
    ) async throws -> Thumbnail? {
        try domain.thumbnail(for: id, contentVersion: contentVersion, size: size)
    }

    /// The new contents come by ``modifyItem(_:transfer:)``.
    func itemChanged(_ id: ItemIdentifier) async throws {}

    /// Nothing is kept for an item in use.
    func stopProvidingItem(_ id: ItemIdentifier) async throws {}

    func persistentIdentifier(forItemAt path: String) async throws -> ItemIdentifier? {
        try domain.persistentIdentifier(forItemAt: path)
    }

    func path(for id: ItemIdentifier) async throws -> String? {
        try domain.path(for: id)
    }

    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item {
        try domain.create(creation, TransferMonitor(transfer))
    }

    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item {
        try domain.modify(modification, TransferMonitor(transfer))
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        try domain.delete(deletion)
    }

    func prepareForPresentation(_ picker: PickerContext) async throws -> PickerPresentation {
        try domain.presentation(for: picker)
    }

    func validate(_ choice: PickerChoice, in picker: PickerContext) async throws {
        try domain.validate(choice, in: picker)
    }

    func versions(of id: ItemIdentifier) async throws -> [ProvidedVersion] {
        try domain.versions(of: id)
    }

    func provideVersion(
        _ versionID: String, of id: ItemIdentifier, at stagingFile: FilePath, transfer: Transfer
    ) async throws -> ProvidedVersion {
        try domain.provideVersion(versionID, of: id, at: stagingFile, TransferMonitor(transfer))
    }

    func keepVersion(_ keeping: VersionKeeping, transfer: Transfer) async throws -> ProvidedVersion {
        try domain.keepVersion(keeping, TransferMonitor(transfer))
    }

    func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws {
        try domain.removeVersion(versionID, of: id)
    }

    func quota() async throws -> RemoteQuota {
        try domain.quota()
    }

    func currentAnchor() async throws -> SyncAnchor {
        try domain.currentAnchor()
    }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        try domain.changes(since: anchor, suggestedCount: suggestedCount)
    }
}

extension TransferMonitor {
    fileprivate init(_ transfer: Transfer) {
        self.init(
            report: { transfer.report(UInt64(max($0, 0)), of: UInt64(max($1, 0))) },
            checkCancellation: { try transfer.checkCancellation() })
    }
}
