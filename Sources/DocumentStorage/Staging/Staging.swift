package import DocumentModel
package import SystemPackage

/// Transfers in progress: one folder a request below `.docent/staging`, on the documents' own file system.
package struct Staging: Sendable {
    /// Makes a request's folder, with a random name.
    package func makeRequest() throws -> StagingRequest { throw DocumentError(.unimplemented, "") }
    /// A copy of a document to send, that is known not to have changed while it was made. `busy` when it keeps
    /// changing.
    package func snapshot(of location: Location, in request: StagingRequest) throws -> StagedFile {
        throw DocumentError(.unimplemented, "")
    }
    /// The same, of a file outside the storage root, by its path.
    package func snapshot(ofFileAt source: FilePath, in request: StagingRequest) throws -> StagedFile {
        throw DocumentError(.unimplemented, "")
    }
    /// Removes what a former host left; nothing of it is ever adopted.
    package func sweep() throws -> Int { 0 }
}

/// One request's folder. Remove it when the request has ended; what a crash leaves is swept at the next start.
package struct StagingRequest: Sendable {
    package let name: String
    package let path: FilePath
    /// Makes the empty file that a provider is to fill (0600).
    package func makeFile() throws -> StagedFile { throw DocumentError(.unimplemented, "") }
    /// Checks what a provider has filled: the same regular file, ours, with one name, of the expected size, without
    /// holes, no longer open for writing; `contractBroken` when not. Then stamps and flushes it.
    package func verify(_ file: StagedFile, size: Int64?, sha256: [UInt8]? = nil, stamp: ItemStamp) throws
        -> StagedFile
    { file }
    package func remove() throws {}
}

/// A file in a request's folder.
package struct StagedFile: Hashable, Sendable {
    package var request: String
    package var name: String
    package var path: FilePath
    package var identity: FileIdentity
    /// Of a snapshot: the file that it was made of, as it was then.
    package var source: FileIdentity?
}

/// What a materialised file carries in `user.docent.item`, so that it is recognised when the index was not told of it
/// any more.
package struct ItemStamp: Hashable, Sendable {
    package var domain: DomainName
    package var id: ItemIdentifier
    package var contentVersion: [UInt8]
    package var size: Int64
    package var modified: Timestamp

    package init(
        domain: DomainName, id: ItemIdentifier, contentVersion: [UInt8], size: Int64, modified: Timestamp
    ) {
        self.domain = domain
        self.id = id
        self.contentVersion = contentVersion
        self.size = size
        self.modified = modified
    }
}

/// Conflict versions: contents that lost, and are kept.
package struct VersionStore: Sendable {
    /// Keeps a copy of a document; returns its name below `versions/`.
    package func keep(copyOf location: Location) throws -> String { "" }
    /// Keeps a staging file itself.
    package func keep(_ file: StagedFile, of location: Location) throws -> String { "" }
    package func path(of kept: String) -> FilePath { "" }
    package func remove(_ kept: String) throws {}
}
