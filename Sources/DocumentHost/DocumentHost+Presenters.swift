package import DocumentModel
import DocumentStorage
import FileCoordination
import SystemPackage

extension DocumentHost {
    /// What a tool is told beside answers.
    package enum ToolNews: Sendable {
        /// A message to a presenter, by the tool's number; ``answered(_:by:failure:)`` takes the answer.
        case message(PresenterMessage, UInt64, to: UInt64)
        case dropped(UInt64, reason: String)
        case deadlock(String)
    }

    /// Says where a tool's news go. The closure must not block.
    package func listen(_ tool: Tool, _ listener: @escaping @Sendable (ToolNews) -> Void) {
        broker.listen(tool.owner) { [weak self, presenters, attributes] event in
            switch event {
            case .message(let message, let id, let presenter):
                self?.pass(message, id, to: presenter, of: tool, listener)
            case .dropped(let presenter, let reason):
                guard let number = presenters.number(of: presenter) else { return }
                presenters.remove(presenter)
                attributes.remove([presenter])
                listener(.dropped(number, reason: reason))
            case .deadlock(let text): listener(.deadlock(text))
            // The tool's own side tells where a new document is, after the presenter's write.
            case .rereadItem: break
            }
        }
    }

    /// Registers a presenter (COORD-31).
    package func addPresenter(_ registration: PresenterRegistration, for tool: Tool) async throws(DocumentError) {
        let item = try await presented(registration.place, by: tool)
        guard broker.presenterCount(of: tool.owner) < PresenterTable.mostOfOneTool else {
            throw DocumentError(
                .invalidArgument, "A tool may have \(PresenterTable.mostOfOneTool) presenters; remove one first.")
        }
        var added: PresenterID?
        broker.add { id in
            guard presenters.insert(id, registration.number, of: tool) else { return nil }
            added = id
            return Presenter(
                id: id, owner: tool.owner, item: item, capabilities: registration.capabilities,
                observedAttributes: Set(registration.observedAttributes),
                patience: min(registration.patience, PresenterTable.mostPatience))
        }
        guard let added else {
            throw DocumentError(
                .invalidArgument, "Presenter \(registration.number) is registered already; give each its own number.")
        }
        if !registration.observedAttributes.isEmpty { attributes.add(added, of: item) }
        // The right to it may have gone in this moment.
        reviewPresenters()
    }

    package func removePresenter(_ number: UInt64, of tool: Tool) {
        guard let presenter = try? presenters.presenter(number, of: tool.owner) else { return }
        let presented = broker.presented(by: presenter)
        presenters.remove(presenter)
        attributes.remove([presenter])
        broker.remove(presenter)
        if case .item(let key)? = presented?.subject { outdatedContents.useEnded(of: key) }
    }

    /// A presenter presents another document by now, or one at all (COORD-29).
    package func setPresented(_ place: PresentedPlace?, of number: UInt64, tool: Tool) async throws(DocumentError) {
        let presenter = try presenters.presenter(number, of: tool.owner)
        present(try await presented(place, by: tool), by: presenter)
    }

    func present(_ item: CoordinatedItem?, by presenter: PresenterID) {
        let presented = broker.presented(by: presenter)
        broker.setItem(item, of: presenter)
        attributes.setItem(item, of: presenter)
        if case .item(let key)? = presented?.subject { outdatedContents.useEnded(of: key) }
    }

    /// Takes a presenter's answer.
    package func answered(_ message: UInt64, by tool: Tool, failure: DocumentError?) {
        broker.answered(MessageID(message), by: tool.owner, failure: failure)
    }

    /// COORD-37.
    package func cancelCoordinator(_ number: UInt64, of tool: Tool) {
        let coordinator = CoordinatorID(owner: tool.owner.id, number: number)
        broker.cancel(coordinator)
        attempts.cancel(coordinator)
    }

    /// Who holds what, and who waits for what.
    package var coordinationStatus: CoordinationStatus {
        CoordinationStatus(
            holdings: broker.holdings, waits: granter.pending.explanations + broker.explanations,
            droppedPresenters: broker.dropped)
    }

    private func presented(_ place: PresentedPlace?, by tool: Tool) async throws(DocumentError) -> CoordinatedItem? {
        let location: Location
        switch place {
        case nil: return nil
        case .local(let path):
            let root = root.path
            return try await outside.look(at: FilePath(path)) { () -> CoordinatedItem in
                try LocalReach.item(at: path, for: tool.process, outsideOf: root)
            }
        case .item(let named): location = named
        }
        let domain = try domains.domain(location.domain)
        try domain.requireVisible()
        // Who presents has mostly accessed it just now.
        if let found = (try? granter.known.item(at: location)) ?? nil, found.item.exists {
            try exported.check(found.key, at: location, by: tool.owner)
            return found.coordinated
        }
        let item = try await resolver.resolve(location, in: domain)
        try exported.check(item.key, at: location, by: tool.owner)
        return try storage.read { try $0.coordinated(item) }
    }
}
