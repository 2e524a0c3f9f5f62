public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// The contents that a document has, and those that are kept beside it, the current ones first (VER-1).
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
    /// - Throws: `noSuchItem` for an identifier that names none of them, `inConflict` while it is in conflict.
    public func restore(_ version: String, of location: Location) async throws {
        try checkNotInside(an: "The return of a version", of: location)
        try await tell(.restoreVersion(location, version))
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
