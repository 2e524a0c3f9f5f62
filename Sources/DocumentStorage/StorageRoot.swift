package import DocumentModel
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

    /// Opens it, and makes what is missing.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has it, with that process' id; `localStorage` on a file
    ///   system that it cannot work on.
    package init(at path: FilePath, logger: Logger) throws { throw DocumentError(.unimplemented, "") }

    /// A provider's own state: `providers/<domain>`, made when it is missing.
    package func providerFolder(of domain: DomainName) throws -> FilePath { path }
    package func removeProviderFolder(of domain: DomainName) throws {}

    /// Bytes that may still be written to the root's file system.
    package func availableBytes() throws -> Int64 { 0 }

    /// Gives the lock back. Nothing of it may be used afterwards.
    package func close() throws {}
}
