import DocumentModel
import DocumentWire
import FileCoordination
import Logging

/// Registered tools may lose the right to what they present: then they hear no more of it, and nobody waits for them (BOOK-5,
/// CONT-2).
extension DocumentHost {
    private static let lost =
        "What it presents is no longer the tool's to read: it was moved out of what the tool may use, its bookmark was revoked, stopped or has expired, or the tool was unregistered. Present it again when it may be read."

    /// Passes a message on to a presenter that may still hear it; others are dropped.
    func pass(
        _ message: PresenterMessage, _ id: MessageID, to presenter: PresenterID, of tool: Tool,
        _ listener: @escaping @Sendable (ToolNews) -> Void
    ) {
        guard let number = presenters.number(of: presenter) else { return }
        guard case .registered = tool.standing else { return listener(.message(message, id.rawValue, to: number)) }
        // Whoever causes a message may be in the middle of a look into the index.
        work.add { [self] in
            guard mayPresent(presenter, tool) else { return drop(presenter, tool) }
            // Of what leaves a folder that it presents, a tool need not know where to.
            guard message.locations.allSatisfy({ mayRead(.item($0), tool) }) else {
                return broker.answered(id, by: tool.owner, failure: nil)
            }
            listener(.message(message, id.rawValue, to: number))
        }
    }

    /// To be called when rights have changed: presenters also say no to evictions without being asked.
    func reviewPresenters() {
        for (presenter, tool) in presenters.ofRegisteredTools where !mayPresent(presenter, tool) {
            drop(presenter, tool)
        }
    }

    private func mayPresent(_ presenter: PresenterID, _ tool: Tool) -> Bool {
        mayRead(
            broker.presented(by: presenter).map { item in
                item.localPath.map { .local($0) } ?? .item(item.location)
            }, tool)
    }

    private func mayRead(_ place: PresentedPlace?, _ tool: Tool) -> Bool {
        do throws(DocumentError) {
            try authorise(.setPresentedItem(0, place), for: tool)
            return true
        } catch {
            return false
        }
    }

    private func drop(_ presenter: PresenterID, _ tool: Tool) {
        logger.notice(
            "a presenter was dropped, since its tool may not read the document",
            metadata: ["tool": "\(tool.owner.name)"])
        broker.drop(presenter, because: Self.lost)
    }
}

extension PresenterMessage {
    /// What it tells of others than the presenter's own item.
    fileprivate var locations: [Location] {
        switch self {
        case .accommodateSubitemDeletion(let location), .subitemDidAppear(let location),
            .subitemDidChange(let location),
            .subitemVersion(let location, _, _):
            [location]
        case .subitemDidMove(let location, let destination): [location, destination]
        default: []
        }
    }
}
