public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// Has the contents of a document, or of everything below a folder, brought some time, and returns at once. To ask again
    /// is harmless; the item's state tells the rest (DOWN-1).
    public func startDownloading(_ location: Location) async throws(DocumentError) {
        try await tell(.transfers(.startDownload(location)))
    }

    /// Has the transfers of an item, and of everything below it, wait until ``resumeTransfers(at:)``, also over restarts. A
    /// domain's top folder stands for the domain. What is under way ends at once, and goes on later; who opens what is not here
    /// waits.
    public func pauseTransfers(at location: Location) async throws(DocumentError) {
        try await tell(.transfers(.pause(location, true)))
    }

    /// Ends a pause: what waited goes on at once.
    public func resumeTransfers(at location: Location) async throws(DocumentError) {
        try await tell(.transfers(.pause(location, false)))
    }

    /// Ends the pause of one document, and says what becomes of changes of it that were not sent (VER-14). Returns when the
    /// remote agrees; whoever is just writing the document is waited for. With ``ResumeBehavior/keepBoth`` it returns at once,
    /// as ``resumeTransfers(at:)`` does.
    ///
    /// - Throws: `localVersionConflicting` with ``ResumeBehavior/failOnConflict`` when the remote was changed, too;
    ///   `cannotSynchronize` when a folder around it is paused, or it is paused anew meanwhile; `busy` when somebody else
    ///   resumes it, too; `invalidArgument` for a folder; what keeps it from being sent or fetched. Then it stays paused,
    ///   with all that is here.
    public func resumeTransfers(at location: Location, _ behavior: ResumeBehavior) async throws(DocumentError) {
        try checkNotInside(an: "The end of a pause", of: location)
        try await tell(.transfers(.resume(location, behavior)))
    }

    /// Says what becomes of the contents of an item, and of everything below it until something nearer says otherwise (PH-9,
    /// XFER-14); also over restarts. A domain's top folder stands for the domain. What was ``Keeping/excluded`` is that no more, and
    /// its changes are sent.
    ///
    /// - Parameter keeping: nil: as the folder around it, which is at first ``Keeping/automatic``.
    /// - Throws: `noSuchItem` when there is none; `notPermitted` when the tool may not arrange it, and with
    ///   ``Keeping/pinned`` also when its domain gives no contents away.
    public func keep(_ location: Location, as keeping: Keeping?) async throws(DocumentError) {
        try await tell(.transfers(.keep(location, keeping)))
    }

    /// The room that contents take on this machine, and how much they may.
    public func spaceStatus() async throws(DocumentError) -> SpaceStatus { try await space(.space) }

    /// Says how much may be here (XFER-14): when it is more than `high` bytes, what was used longest ago leaves until it is
    /// at most `low`; never what is changed, in use, pinned or excluded, and nothing that the remote is not seen to have.
    ///
    /// - Parameter limits: nil: nothing leaves by itself.
    @discardableResult
    public func setSpaceLimits(_ limits: SpaceLimits?) async throws(DocumentError) -> SpaceStatus {
        try await space(.setSpace(limits))
    }

    private func space(_ call: TransferCall) async throws(DocumentError) -> SpaceStatus {
        guard case .transfers(.space(let status)) = try await ask(.transfers(call), deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return status
    }
}
