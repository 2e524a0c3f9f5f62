import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import SystemPackage

/// Whom these tests have present documents.
extension CoordinationOptionsTests {
    /// Opened once.
    final class Gate: Sendable {
        private let (stream, feed) = AsyncStream.makeStream(of: Void.self)

        func open() { feed.finish() }
        func wait() async { for await _ in stream {} }
    }

    /// What presenters of these tests have in common.
    class Listener: @unchecked Sendable {  // Its state is behind a lock.
        private let state = Mutex((messages: [String](), refusal: DocumentError?.none))
        private let location: Mutex<Location?>

        init(_ location: Location?) { self.location = Mutex(location) }

        var presentedItemLocation: Location? { location.withLock { $0 } }
        func present(_ location: Location) { self.location.withLock { $0 = location } }

        var heard: [String] { state.withLock { $0.messages } }

        func refuse(_ error: DocumentError?) { state.withLock { $0.refusal = error } }
        func hear(_ message: String) { state.withLock { $0.messages.append(message) } }

        func answer(_ message: String) throws {
            hear(message)
            if let refusal = state.withLock({ $0.refusal }) { throw refusal }
        }

        func hears(_ message: String) async -> Bool {
            for _ in 0..<1_500 {
                if heard.contains(message) { return true }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }

    /// Presents nothing at first.
    final class Author: Listener, FilePresenter, @unchecked Sendable {
        init() { super.init(nil) }

        func presentedItemDidChange() async { hear("changed") }
    }

    /// Has something unsaved, perhaps.
    final class Editor: Listener, SavingFilePresenter, RelinquishingFilePresenter, @unchecked Sendable {
        private let unsaved: Mutex<String?>
        private let client: DocumentClient

        init(_ location: Location, _ client: DocumentClient, unsaved: String? = nil) {
            self.client = client
            self.unsaved = Mutex(unsaved)
            super.init(location)
        }

        func presentedItemDidChange() async { hear("changed") }
        func relinquishPresentedItemToReader() async throws {}
        func relinquishPresentedItemToWriter() async throws {}
        func reacquirePresentedItem() async { hear("reacquire") }

        func savePresentedItemChanges() async throws {
            try answer("save")
            guard let text = unsaved.withLock({ $0.take() }), let location = presentedItemLocation else { return }
            try await FileCoordinator(client, presenter: self).coordinate(writingItemAt: location) { path, _ in
                try Data(text.utf8).write(to: URL(fileURLWithPath: path.string))
            }
        }
    }

    /// Can close its document at any time.
    final class Viewer: Listener, DeletionAccommodatingFilePresenter, EvictionAccommodatingFilePresenter,
        @unchecked Sendable
    {
        func accommodatePresentedItemDeletion() async throws { try answer("delete") }
        func accommodatePresentedItemEviction() async throws { try answer("evict") }
    }

    final class FolderWatcher: Listener, FolderPresenter, @unchecked Sendable {
        func presentedSubitemDidChange(at location: Location) async { hear("changed \(location)") }
    }
}
