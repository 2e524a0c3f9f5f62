public import DocumentModel
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// The contents that a document has, and those that are kept beside it, the current ones first (VER-1). Each has its
    /// identifier for as long as they are kept: what is current now is found by it when it is an older version (VER-8).
    ///
    /// - Throws: `noSuchItem` for what is not there, `invalidArgument` for a folder.
    public func versions(of location: Location) async throws -> [DocumentVersion] {
        guard case .versions(let versions) = try await ask(.listVersions(location)) else {
            throw Self.unexpectedAnswer
        }
        return versions
    }

    /// Puts kept contents in a document's place, as a change of it that is sent; what was there is kept.
    ///
    /// - Parameter version: the identifier of one of its ``versions(of:)``.
    /// - Throws: `noSuchItem` for an identifier that names none of them, `invalidArgument` for what it has already, `inConflict` while it is in conflict.
    public func restore(_ version: String, of location: Location) async throws {
        try checkNotInside(an: "The return of a version", of: location)
        try await tell(.restoreVersion(location, version))
    }

    /// Puts a version's contents in the place of a document, as a change of it that is sent, or makes a document of them; the
    /// version's own document stays as it is (VER-7). In the field this is `replaceItem`.
    ///
    /// What is replaced keeps its name, its identity and its versions, of which its contents until then are one; where it is
    /// of another type than the version, it gets the version's ending. What the remote has alone is fetched first.
    ///
    /// - Parameters:
    ///   - target: a document of any domain, or the place of a new one, in a folder that is there. Of the version's own
    ///     document: as ``restore(_:of:)``.
    ///   - version: the identifier of one of its ``versions(of:)``; ``DocumentVersion/inPlace`` for what lies in its own file.
    ///   - isMoving: the version is removed when its contents are in their new place. Of one side of a conflict that
    ///     resolves it: the other one stays.
    ///   - isReplacing: false: there must be nothing, else the error is `destinationExists`.
    /// - Returns: where the contents are.
    /// - Throws: ``DocumentError``, and then the target is as it was: `noSuchItem` for an identifier that names no version;
    ///   `invalidArgument` to move the current version, or what changes began from that were not sent, and for a folder or a
    ///   package; `destinationExists` also where the name with the version's ending is taken; what keeps the target from being
    ///   renamed or written. Where the contents are in their place, and the version cannot be removed, that error.
    @discardableResult
    public func replaceItem(
        at target: Location, with version: String, of location: Location, byMoving isMoving: Bool = false,
        replacing isReplacing: Bool = true, progress: ProgressHandler? = nil
    ) async throws -> Location {
        try await VersionReplacement(client: self, location: location, version: version, isMove: isMoving)
            .replace(target, replacing: isReplacing, progress)
    }

    /// Copies a version's contents to a local file, which appears under just this name when it is whole and flushed (VER-7).
    ///
    /// - Parameters:
    ///   - destination: a file outside the document storage root; its folder must exist.
    ///   - isReplacing: replace a file that is there, else the error is `destinationExists`.
    /// - Throws: as ``replaceItem(at:with:of:byMoving:replacing:progress:)``; then there is no file, or the old one.
    public func replaceLocalFile(
        at destination: FilePath, with version: String, of location: Location, byMoving isMoving: Bool = false,
        replacing isReplacing: Bool = false, progress: ProgressHandler? = nil
    ) async throws {
        try await VersionReplacement(client: self, location: location, version: version, isMove: isMoving)
            .copy(to: destination, replacing: isReplacing, progress)
    }

    /// Brings what the remote has of a document now beside what is here, as a version of it; the document stays as it is. So
    /// it does where its transfers are paused, and where it has changes that were not sent (VER-8, VER-14).
    ///
    /// - Returns: the version; nil when the remote has nothing that the document here has not become or begun from.
    /// - Throws: `noSuchItem` where the remote has no such document any more, `invalidArgument` for a folder.
    public func fetchRemoteVersion(
        of location: Location, progress: ProgressHandler? = nil
    ) async throws -> DocumentVersion? {
        try await tell(.fetchRemoteVersion(location), progress: progress)
        return try await versions(of: location).first { $0.kind == .remote && $0.path != nil }
    }

    /// Removes versions of a document for good, with a coordinated write of the host's own (VER-7). To remove one side of an
    /// unresolved conflict resolves it: the other one stays.
    ///
    /// - Parameter versions: identifiers of its ``versions(of:)``.
    /// - Throws: `noSuchItem` for an identifier that names none of them, `invalidArgument` for the current version and for
    ///   what changes began from that were not sent yet. Then none is removed.
    public func removeVersions(_ versions: [String], of location: Location) async throws {
        guard !versions.isEmpty else { return }
        try checkNotInside(an: "The removal of versions", of: location)
        try await tell(.removeVersions(location, versions))
    }

    /// Removes all versions of a document that are not current, and are not needed to send what was changed (VER-7).
    public func removeOtherVersions(of location: Location) async throws {
        try checkNotInside(an: "The removal of versions", of: location)
        try await tell(.removeVersions(location, []))
    }
}
