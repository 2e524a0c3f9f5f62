import DocumentClient
import DocumentModel

/// A presenter that hears everything, and answers in one manner.
final class FuzzedPresenter: RelinquishingFilePresenter, SavingFilePresenter, DeletionAccommodatingFilePresenter,
    EvictionAccommodatingFilePresenter, FolderPresenter, VersionPresenter
{
    let presentedItemLocation: Location? = nil
    private let manner: ToolScript.Manner

    init(_ manner: ToolScript.Manner) {
        self.manner = manner
    }

    private func answer() async throws {
        switch manner {
        case .answers: break
        case .refuses: throw DocumentError(.notPermitted, "No.")
        case .keepsSilent: try await Task.sleep(for: .milliseconds(400))
        case .breaksOff: throw CancellationError()
        }
    }

    func relinquishPresentedItemToReader() async throws { try await answer() }
    func relinquishPresentedItemToWriter() async throws { try await answer() }
    func reacquirePresentedItem() async {}
    func savePresentedItemChanges() async throws { try await answer() }
    func accommodatePresentedItemDeletion() async throws { try await answer() }
    func accommodatePresentedItemEviction() async throws { try await answer() }
    func accommodatePresentedSubitemDeletion(at location: Location) async throws { try await answer() }
    func presentedItemDidGainVersion(_ version: String) async {}
    func presentedItemDidLoseVersion(_ version: String) async {}
    func presentedItemDidResolveConflictVersion(_ version: String) async {}
}
