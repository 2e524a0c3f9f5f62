public import DocumentModel
internal import DocumentWire

/// Contents that were on this machine when their documents were removed, here or on the remote (CONT-13). For the user's own
/// programs.
extension DocumentClient {
    /// One page of what is in the trash, the newest first.
    ///
    /// - Parameter place: ``TrashPage/next`` of the page before; nil: the first page.
    public func trash(_ choice: TrashChoice = .all, after place: UInt64? = nil) async throws(DocumentError) -> TrashPage
    {
        let call = ServiceCall.safeguards(.trash(.list(choice, after: place ?? 0)))
        guard case .safeguards(.trash(.list(let page))) = try await ask(call, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return page
    }

    /// Makes a document of it again, with the folders around it that are not there any more; it is sent as anything new.
    ///
    /// - Parameter place: nil: where it was.
    /// - Throws: `noSuchItem` for what is not in the trash, `destinationExists` where something is; then nothing was changed.
    @discardableResult
    public func restoreTrash(_ id: String, to place: Location? = nil) async throws(DocumentError) -> ItemStatus {
        guard case .item(let status) = try await ask(.safeguards(.trash(.restore(id, to: place)))) else {
            throw Self.unexpectedAnswer
        }
        return status
    }

    /// Removes what is in the trash for good.
    ///
    /// - Parameter date: only what was removed before, in seconds since 1970; nil: whenever it was.
    /// - Throws: `noSuchItem` for an identifier that names nothing.
    /// - Returns: how many documents it were, and bytes.
    @discardableResult
    public func emptyTrash(
        _ choice: TrashChoice, removedBefore date: Int64? = nil
    ) async throws(DocumentError) -> (documents: UInt64, bytes: UInt64) {
        let call = ServiceCall.safeguards(.trash(.empty(choice, removedBefore: date)))
        guard case .safeguards(.trash(.empty(let documents, let bytes))) = try await ask(call) else {
            throw Self.unexpectedAnswer
        }
        return (documents, bytes)
    }

    /// How much is in the trash, and may be.
    public func trashStatus() async throws(DocumentError) -> TrashStatus { try await trashStatus(setting: nil) }

    /// Says how much may be in the trash, and for how long. What is more than that goes now.
    @discardableResult
    public func setTrashLimits(_ limits: TrashLimits) async throws(DocumentError) -> TrashStatus {
        try await trashStatus(setting: limits)
    }

    private func trashStatus(setting limits: TrashLimits?) async throws(DocumentError) -> TrashStatus {
        guard case .safeguards(.trash(.use(let status))) = try await ask(.safeguards(.trash(.use(limits)))) else {
            throw Self.unexpectedAnswer
        }
        return status
    }
}
