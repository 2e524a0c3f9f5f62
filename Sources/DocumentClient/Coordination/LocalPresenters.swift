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

    /// Those that may follow an item to a local path, and of what lies inside of it.
    func localPresenters(at location: Location) -> LocalPresenters {
        LocalPresenters(
            all: registered.compactMap { presenter in
                guard let presenter = presenter as? any LocalFilePresenter,
                    let presented = presenter.presentedItemLocation, presented.domain == location.domain,
                    presented.components.starts(with: location.components)
                else { return nil }
                let below = Array(presented.components.dropFirst(location.components.count))
                return LocalPresenters.Presented(presenter: presenter, below: below)
            })
    }

    /// Where what a presenter shows is, as the host is told: what is local and not there is still to be created.
    static func place(of presenter: any FilePresenter) -> PresentedPlace? {
        if let location = presenter.presentedItemLocation { return .item(location) }
        guard let path = (presenter as? any LocalFilePresenter)?.presentedLocalPath else { return nil }
        return (try? LocalPath.absolute(path)).map { .local($0.string) }
    }
}
