internal import CDocentShims
package import DocumentModel
internal import Glibc
package import Logging
package import SystemPackage

/// A document storage root, opened and locked: the folders, and what works on them. One host has it at a time.
package final class StorageRoot: Sendable {
    package let path: FilePath
    package let tree: DocumentTree
    package let placeholders: PlaceholderStore
    package let staging: Staging
    package let versions: VersionStore
    package let trash: TrashStore
    package let index: ItemIndex
    let moves = TreeMoves()
    /// The system's start that this is in; nil where it cannot be told.
    let boot = Boot.current()
    /// What the domains sign in with, in files of the host.
    package let secrets: SecretFolder
    /// Small pictures of documents, which can come again.
    package let thumbnails: ThumbnailStore
    /// How many requests that a former host's providers were filling were removed.
    let sweptAtOpening: Int
    private let root: DirectoryHandle
    private let providers: DirectoryHandle
    private let temporary: DirectoryHandle
    private let lock: HostLock
    private let bookmarkKey: BookmarkKey

    /// Opens it, and makes what is missing.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has it, with that process' id; `localStorage` on a file
    ///   system that it cannot work on.
    package init(at path: FilePath, logger: Logger) throws {
        root = try RootFolder.open(path)
        // As the system has it: symbolic links on the way to the root are resolved once, here.
        self.path = FilePath(root.path)
        let own = try root.makingFolders([Self.ownFolder])
        lock = try HostLock(in: own, root: self.path.string)
        bookmarkKey = BookmarkKey(in: own)
        let documents = try root.makingFolders(["documents"])
        let stagingFolder = try own.makingFolders(["staging"])
        providers = try own.makingFolders(["providers"])
        temporary = try own.makingFolders(["temporary"])
        let versionsFolder = try own.makingFolders(["versions"])
        let trashFolder = try own.makingFolders(["trash"])
        try RootFolder.refuseUnfit(documents: documents, staging: stagingFolder)

        let ownPath = self.path.appending(Self.ownFolder)
        tree = DocumentTree(
            documents: documents, staging: stagingFolder, root: self.path.appending("documents"))
        placeholders = PlaceholderStore(documents: documents, staging: stagingFolder)
        staging = Staging(folder: stagingFolder, path: ownPath.appending("staging"), tree: tree)
        secrets = try SecretFolder(in: own)
        thumbnails = try ThumbnailStore(in: own, logger: logger)
        versions = VersionStore(folder: versionsFolder, path: ownPath.appending("versions"), staging: staging)
        trash = TrashStore(folder: trashFolder, path: ownPath.appending("trash"))
        (index, sweptAtOpening) = try Self.openIndex(at: ownPath.appending("index.sqlite"), beside: staging)
        lock.keepRoom()
        logger.debug("storage root opened", metadata: ["storage.root": "\(self.path)"])
    }

    private static let ownFolder = ".docent"

    /// Opens the index, and removes what a former host's providers were filling, but for what the index knows of.
    private static func openIndex(at path: FilePath, beside staging: Staging) throws -> (ItemIndex, swept: Int) {
        let index: ItemIndex
        var swept = 0
        do {
            index = try ItemIndex(at: path)
        } catch {
            // What came from a provider can come again; on a full disk the index cannot be opened before it is gone.
            swept = try staging.sweepFetched()
            guard swept > 0 else { throw error }
            index = try ItemIndex(at: path)
        }
        return (index, swept + (try staging.sweepFetched(keeping: Set(try index.read { try $0.partialRequests() }))))
    }

    /// What this root's bookmarks are sealed with. Blocks when it is first asked for.
    ///
    /// - Throws: `notPermitted` when others could read the key.
    package func bookmarkSeal() throws -> BookmarkSeal { BookmarkSeal(key: try bookmarkKey.bytes()) }

    /// A provider's own state: `providers/<domain>`, made when it is missing.
    package func providerFolder(of domain: DomainName) throws -> FilePath {
        _ = try providers.makingFolders([domain.rawValue])
        return path.appending(Self.ownFolder).appending("providers").appending(domain.rawValue)
    }

    /// Where the host keeps what it knows of providers' failures: beside their own folders, under a name that no domain
    /// can have, so that no provider can write there.
    package var failuresFolder: FilePath {
        path.appending(Self.ownFolder).appending("providers").appending(".failures")
    }
    /// Where recordings of their traffic are kept.
    package var recordingsFolder: FilePath {
        path.appending(Self.ownFolder).appending("providers").appending(".recordings")
    }

    package func removeProviderFolder(of domain: DomainName) throws {
        try providers.removeTree(domain.rawValue, .folder)
        try temporary.removeTree(domain.rawValue, .folder)
        try thumbnails.removeAll(of: domain)
        // What was under way may have put something there since.
        try trash.removeAll(of: domain)
        try staging.removeFolders(of: domain)
    }

    /// A provider's own folder for what need not last: `temporary/<domain>`, empty.
    package func emptyTemporaryFolder(of domain: DomainName) throws -> FilePath {
        try temporary.removeTree(domain.rawValue, .folder)
        _ = try temporary.makingFolders([domain.rawValue])
        return path.appending(Self.ownFolder).appending("temporary").appending(domain.rawValue)
    }

    /// Bytes that may still be written to the root's file system.
    package func availableBytes() throws -> Int64 { try room().available }

    /// How many bytes are missing until a twentieth of the root's file system is free, or 1 GB: 0 when they are.
    func shortage() throws -> UInt64 {
        let (available, all) = try room()
        return UInt64(max(min(1_000_000_000, all / 20) - available, 0))
    }

    /// Of the root's file system, in bytes: what anybody may still write, and all that there is. May wait for the disk.
    package func room() throws -> (available: Int64, all: Int64) {
        var found = docent_file_system()
        let result = kernel(.fileSystem) { docent_fstatfs(root.descriptor, &found) }
        guard result >= 0 else { throw DocumentError.system(result, "The file system of \(path) could not be asked") }
        func bytes(_ blocks: UInt64) -> Int64 {
            Int64(clamping: blocks.multipliedReportingOverflow(by: found.block_size).partialValue)
        }
        return (bytes(found.available_blocks), bytes(found.blocks))
    }

    /// Closes the index and gives the lock back. Nothing of it may be used afterwards.
    package func close() throws {
        defer { lock.release() }
        try index.close()
        // Of what the index's log has given back.
        lock.keepRoom()
    }
}
