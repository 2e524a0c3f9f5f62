import DocumentModel
import SystemPackage

/// Presenters of something local that is about to move.
struct LocalPresenters: Sendable {
    struct Presented: Sendable {
        let presenter: any LocalFilePresenter
        /// Where what it presents lies, below what moves.
        let below: [ItemName]
    }

    let all: [Presented]

    /// They let go and save, then the closure runs, then they go on (COORD-24); when one of them cannot, its error is
    /// thrown, and the closure does not run (COORD-25).
    func lettingGo<Value>(_ body: () async throws -> Value) async throws -> Value {
        var relinquished: [any RelinquishingFilePresenter] = []
        let outcome: Result<Value, any Error>
        do {
            for presented in all {
                if let presenter = presented.presenter as? any RelinquishingFilePresenter {
                    relinquished.append(presenter)
                    try await presenter.relinquishPresentedItemToWriter()
                }
                try await (presented.presenter as? any SavingFilePresenter)?.savePresentedItemChanges()
            }
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        for presenter in relinquished { await presenter.reacquirePresentedItem() }
        return try outcome.get()
    }
}

extension PresenterDesk {
    /// Those of a local path, and of what lies below it.
    func localPresenters(of path: FilePath) -> LocalPresenters {
        LocalPresenters(
            all: registered.compactMap { presenter in
                guard let presenter = presenter as? any LocalFilePresenter,
                    let presented = presenter.presentedLocalPath, presented.starts(with: path)
                else { return nil }
                var rest = presented
                guard rest.removePrefix(path) else { return nil }
                let below = rest.components.compactMap { try? ItemName($0.string) }
                return LocalPresenters.Presented(presenter: presenter, below: below)
            })
    }

    /// Those that may follow an item to a local path.
    func localPresenters(at location: Location) -> [any LocalFilePresenter] {
        registered.compactMap { $0 as? any LocalFilePresenter }.filter { $0.presentedItemLocation == location }
    }
}
