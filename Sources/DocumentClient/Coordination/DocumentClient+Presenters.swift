public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// Registers a presenter; from then on it is told what others do with its item. Ends with ``removePresenter(_:)`` or
    /// with the client.
    ///
    /// - Throws: ``DocumentError``: `invalidArgument` when it is registered already, `noSuchItem` when there is nothing at
    ///   its location.
    public func addPresenter(_ presenter: any FilePresenter) async throws(DocumentError) {
        guard let number = desk.insert(presenter) else {
            throw DocumentError(
                .invalidArgument, "This presenter is registered already; remove it before it is added again.")
        }
        let registration = PresenterRegistration(
            number: number, place: PresenterDesk.place(of: presenter),
            capabilities: PresenterDesk.capabilities(of: presenter),
            observedAttributes: (presenter as? any AttributePresenter)?.observedPresentedItemAttributes.map(\.rawValue)
                .sorted()
                ?? [],
            patience: presenter.patience)
        do throws(DocumentError) {
            try await tell(.addPresenter(registration))
        } catch {
            desk.remove(number)
            throw error
        }
    }

    /// Ends a registration. One that is not registered is ignored: it may have been dropped.
    public func removePresenter(_ presenter: any FilePresenter) async throws(DocumentError) {
        guard let number = desk.number(of: presenter) else { return }
        desk.remove(number)
        try await tell(.removePresenter(number))
    }

    /// Calls the closure, on a thread of the client's, when an access of this tool was part of a deadlock that ended with
    /// another tool's access being refused: with who waited for whom, in words. (An access of this tool that is itself
    /// refused throws `deadlock`.)
    public func onDeadlock(_ body: @escaping @Sendable (String) -> Void) {
        desk.reportDeadlocks(to: body)
    }

    /// Who holds which document, and who waits for what, on this host.
    public func coordinationStatus() async throws(DocumentError) -> CoordinationStatus {
        guard case .coordinationStatus(let status) = try await ask(.coordinationStatus, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return status
    }
}
