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
    package let index: ItemIndex
    private let root: DirectoryHandle
    private let providers: DirectoryHandle
    private let lock: HostLock

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
        let documents = try root.makingFolders(["documents"])
        let stagingFolder = try own.makingFolders(["staging"])
        providers = try own.makingFolders(["providers"])
        let versionsFolder = try own.makingFolders(["versions"])
        try RootFolder.refuseUnfit(documents: documents, staging: stagingFolder)

        let ownPath = self.path.appending(Self.ownFolder)
        tree = DocumentTree(
            documents: documents, staging: stagingFolder, root: self.path.appending("documents"))
        placeholders = PlaceholderStore(documents: documents, staging: stagingFolder)
        staging = Staging(folder: stagingFolder, path: ownPath.appending("staging"), tree: tree)
        versions = VersionStore(folder: versionsFolder, path: ownPath.appending("versions"), staging: staging)
        index = try ItemIndex(at: ownPath.appending("index.sqlite"))
        logger.debug("storage root opened", metadata: ["storage.root": "\(self.path)"])
    }

    private static let ownFolder = ".docent"

    /// A provider's own state: `providers/<domain>`, made when it is missing.
    package func providerFolder(of domain: DomainName) throws -> FilePath {
        _ = try providers.makingFolders([domain.rawValue])
        return path.appending(Self.ownFolder).appending("providers").appending(domain.rawValue)
    }

    package func removeProviderFolder(of domain: DomainName) throws {
        try providers.removeTree(domain.rawValue, .folder)
    }

    /// Bytes that may still be written to the root's file system.
    package func availableBytes() throws -> Int64 {
        var found = docent_file_system()
        let result = kernel(.fileSystem) { docent_fstatfs(root.descriptor, &found) }
        guard result >= 0 else { throw DocumentError.system(result, "The file system of \(path) could not be asked") }
        return Int64(clamping: found.available_blocks.multipliedReportingOverflow(by: found.block_size).partialValue)
    }

    /// Closes the index and gives the lock back. Nothing of it may be used afterwards.
    package func close() throws {
        defer { lock.release() }
        try index.close()
    }
}
