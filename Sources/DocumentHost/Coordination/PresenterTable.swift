import DocumentModel
import FileCoordination
import Synchronization

/// The presenters of the connected tools, by the numbers that the tools gave them.
final class PresenterTable: Sendable {
    private struct Name: Hashable {
        let owner: ClaimOwner
        let number: UInt64
    }

    /// More presenters than this no tool needs.
    static let mostOfOneTool = 10_000

    private let presenters = Mutex<(byName: [Name: PresenterID], names: [PresenterID: Name])>(([:], [:]))

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
    func insert(_ presenter: PresenterID, _ number: UInt64, of owner: ClaimOwner) -> Bool {
        presenters.withLock { presenters in
            let name = Name(owner: owner, number: number)
            guard presenters.byName[name] == nil else { return false }
            presenters.byName[name] = presenter
            presenters.names[presenter] = name
            return true
        }
    }

    func number(of presenter: PresenterID) -> UInt64? {
        presenters.withLock { $0.names[presenter]?.number }
    }

    func remove(_ presenter: PresenterID) {
        presenters.withLock { presenters in
            guard let name = presenters.names.removeValue(forKey: presenter) else { return }
            presenters.byName[name] = nil
        }
    }

    /// - Returns: those that there were.
    func removeAll(of owner: ClaimOwner) -> [PresenterID] {
        presenters.withLock { presenters in
            let removed = presenters.byName.filter { $0.key.owner == owner }
            for (name, presenter) in removed {
                presenters.byName[name] = nil
                presenters.names[presenter] = nil
            }
            return Array(removed.values)
        }
    }
}
