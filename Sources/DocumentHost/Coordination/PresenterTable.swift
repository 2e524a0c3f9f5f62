import DocumentModel
import FileCoordination
import Synchronization

/// The presenters of the connected tools, by the numbers that the tools gave them.
final class PresenterTable: Sendable {
    private struct Name: Hashable {
        let owner: ClaimOwner
        let number: UInt64
    }

    /// Who waits for a presenter does not wait for longer, whatever its tool says (COORD-39).
    static let mostPatience = Duration.seconds(600)

    /// More presenters than this no tool needs.
    static let mostOfOneTool = 10_000

    private struct State {
        var byName: [Name: PresenterID] = [:]
        var names: [PresenterID: Name] = [:]
        /// Of tools that may lose the right to what is presented.
        var registered: [PresenterID: DocumentHost.Tool] = [:]

        mutating func remove(_ presenter: PresenterID) {
            registered[presenter] = nil
            guard let name = names.removeValue(forKey: presenter) else { return }
            byName[name] = nil
        }
    }

    private let presenters = Mutex(State())

    /// - Throws: `invalidArgument` when the tool has no such presenter.
    func presenter(_ number: UInt64, of owner: ClaimOwner) throws(DocumentError) -> PresenterID {
        guard let presenter = presenters.withLock({ $0.byName[Name(owner: owner, number: number)] }) else {
            throw DocumentError(
                .invalidArgument,
                "Presenter \(number) is not registered: it was removed, or did not answer in time. Add it again.")
        }
        return presenter
    }

    /// - Returns: whether the number was free.
    func insert(_ presenter: PresenterID, _ number: UInt64, of tool: DocumentHost.Tool) -> Bool {
        presenters.withLock { presenters in
            let name = Name(owner: tool.owner, number: number)
            guard presenters.byName[name] == nil else { return false }
            presenters.byName[name] = presenter
            presenters.names[presenter] = name
            if case .registered = tool.standing { presenters.registered[presenter] = tool }
            return true
        }
    }

    func number(of presenter: PresenterID) -> UInt64? {
        presenters.withLock { $0.names[presenter]?.number }
    }

    func remove(_ presenter: PresenterID) { presenters.withLock { $0.remove(presenter) } }

    /// Those whose tools may lose the right to what they present, the oldest first.
    var ofRegisteredTools: [(presenter: PresenterID, tool: DocumentHost.Tool)] {
        presenters.withLock { $0.registered.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// - Returns: those that there were.
    func removeAll(of owner: ClaimOwner) -> [PresenterID] {
        presenters.withLock { presenters in
            let removed = presenters.byName.filter { $0.key.owner == owner }
            for presenter in removed.values { presenters.remove(presenter) }
            return Array(removed.values)
        }
    }
}
