public import DocumentModel
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// Copies a document out of its domain, to a place of the tool's: edits there never reach the provider (PICK-1).
    ///
    /// The copy appears at its place when it is whole and flushed.
    ///
    /// - Parameters:
    ///   - destination: the new file; its folder must exist.
    ///   - replacing: replace a file that is there, else the error is `destinationExists`.
    public func importDocument(
        at location: Location, to destination: FilePath, replacing: Bool = false, progress: ProgressHandler? = nil
    ) async throws {
        try LocalCopy.check(destination, replacing: replacing)
        try await coordinate(readingItemAt: location, progress: progress) { _, item in
            guard item.item.kind == .document else {
                throw DocumentError(
                    .invalidArgument, "\(location) is a folder, and only documents can be imported: name one in it.")
            }
            let contents = try await openAccessed()
            defer { try? contents.close() }
            try await LocalCopy.make(of: contents, at: destination, replacing: replacing)
        }
    }

    /// Copies a local file, or a package with all of its parts, to a location. The original stays where it is (PICK-3).
    ///
    /// - Parameters:
    ///   - replacing: replace a document that is there, else the error is `destinationExists`.
    ///   - progress: how far it is.
    @discardableResult
    public func exportDocument(
        _ file: FilePath, to destination: Location, replacing: Bool = false, progress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ItemStatus {
        try checkNotInside(an: "A replacement", of: destination)
        let source = try LocalPath.absolute(file)
        let call = ServiceCall.exportDocument(sourcePath: source.string, destination: destination, replace: replacing)
        guard case .item(let item) = try await ask(call, progress: progress) else { throw Self.unexpectedAnswer }
        return item
    }

    /// Moves a local file into a domain: it is then a document there, open to every tool, and its old place is empty
    /// (PICK-4). Sending follows; ``waitUntilSent(_:progress:)`` waits for it.
    @discardableResult
    public func moveDocument(
        _ file: FilePath, to destination: Location, replacing: Bool = false, progress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ItemStatus {
        try checkNotInside(an: "A replacement", of: destination)
        let source = try LocalPath.absolute(file)
        let call = ServiceCall.moveDocument(sourcePath: source.string, destination: destination, replace: replacing)
        guard case .item(let item) = try await ask(call, progress: progress) else { throw Self.unexpectedAnswer }
        return item
    }

    /// Has the contents of a document, or of everything below a folder, here. Inside of an access to one of them, the error is
    /// `deadlock`: a coordinated read has its contents brought by itself (COORD-38).
    public func download(_ location: Location, progress: ProgressHandler? = nil) async throws(DocumentError) {
        try checkNotInside(an: "A download", of: location)
        try await tell(.download(location), progress: progress)
    }

    /// Leaves only placeholders of a document, or of everything below a folder. Refused for what is in use or has
    /// changes that were not sent (XFER-9, XFER-10).
    @discardableResult
    public func evict(_ location: Location) async throws(DocumentError) -> Eviction {
        guard case .evict(let evicted, let bytes) = try await ask(.evict(location)) else {
            throw Self.unexpectedAnswer
        }
        return Eviction(documents: evicted, bytes: bytes)
    }

    /// Waits until every change at or below a location is sent, or throws what keeps it from being sent. Inside of an access
    /// to one of them, the error is `deadlock`: it is sent when that has ended (COORD-38).
    public func waitUntilSent(_ location: Location, progress: ProgressHandler? = nil) async throws(DocumentError) {
        try checkNotInside(an: "The sending", of: location)
        try await tell(.waitUntilSent(location), progress: progress)
    }

    /// Ends a conflict (``ItemState/conflict``); or one of another device, whose side the remote keeps
    /// (`Item.conflictVersions`): then `local` is what the document is, `remote` puts the other side in its place, as a change
    /// that is sent, and `both` makes a new document of that side.
    ///
    /// - Parameter name: with `both`, what the new document is called; nil: after the document, with the date.
    /// - Throws: `nameCollision` or `destinationExists` when that name is taken; nothing is changed then.
    public func resolveConflict(
        at location: Location, keeping resolution: ConflictResolution, as name: ItemName? = nil
    ) async throws(DocumentError) {
        try checkNotInside(an: "The end of a conflict", of: location)
        try await tell(.resolveConflict(location, keep: resolution, name: name))
    }
}

/// What an eviction has freed.
public struct Eviction: Hashable, Sendable {
    /// How many documents are placeholders now that were not before.
    public var documents: Int
    /// How many bytes that freed.
    public var bytes: UInt64
}
