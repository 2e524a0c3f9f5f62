public import DocumentModel
internal import DocumentWire

/// Dry runs (CONT-13): told from what is known on this machine. No provider is asked, and nothing is changed.
extension DocumentClient {
    /// What would be sent, brought, moved and removed at and below a location, and what waits, and for what.
    ///
    /// - Throws: ``DocumentError``: `noSuchItem` for what is not known here.
    public func preview(below location: Location) async throws(DocumentError) -> SyncPreview {
        let call = ServiceCall.safeguards(.previewSync(location))
        guard case .safeguards(.previewSync(let preview)) = try await ask(call, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return preview
    }

    /// What the removal of an item would take along, and whether it would have to wait for a yes.
    ///
    /// - Parameters:
    ///   - recursive: as of the removal: also a folder that is not empty.
    ///   - discardUnsent: as of the removal: also what has changes that were not sent.
    /// - Throws: ``DocumentError``: `noSuchItem` for what is not known here.
    public func previewRemoval(
        of location: Location, recursive: Bool = false, discardUnsent: Bool = false
    ) async throws(DocumentError) -> RemovalPreview {
        let call = ServiceCall.safeguards(
            .previewRemoval(location, recursive: recursive, discardUnsent: discardUnsent))
        guard case .safeguards(.previewRemoval(let preview)) = try await ask(call, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return preview
    }
}
