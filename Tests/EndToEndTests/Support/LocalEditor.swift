import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import SystemPackage

/// Presents a local document, perhaps with something that is not saved, or does not let go of it.
final class LocalEditor: LocalFilePresenter, SavingFilePresenter, RelinquishingFilePresenter {
    private struct State {
        var path: FilePath?
        var location: Location?
        var unsaved: String?
        var messages: [String] = []
    }

    private let state: Mutex<State>
    private let refusal: String?

    init(_ path: String, unsaved: String? = nil, refusal: String? = nil) {
        state = Mutex(State(path: FilePath(path), unsaved: unsaved))
        self.refusal = refusal
    }

    var presentedItemLocation: Location? { state.withLock { $0.location } }
    var presentedLocalPath: FilePath? { state.withLock { $0.path } }
    var messages: [String] { state.withLock { $0.messages } }

    private func hear(_ message: String) { state.withLock { $0.messages.append(message) } }

    /// Waits for a message.
    func hears(_ message: String) async -> Bool {
        for _ in 0..<1000 {
            if messages.contains(message) { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    func presentedItemDidMove(to location: Location) async {
        state.withLock { ($0.path, $0.location) = (nil, location) }
        hear("moved to \(location)")
    }

    func presentedItemDidMove(toLocalPath path: FilePath) async {
        state.withLock { ($0.path, $0.location) = (path, nil) }
        hear("moved to \(path)")
    }

    func presentedItemDidChange() async { hear("changed") }
    func relinquishPresentedItemToReader() async throws {}
    func reacquirePresentedItem() async { hear("reacquire") }

    func relinquishPresentedItemToWriter() async throws {
        hear("relinquish")
        if let refusal { throw DocumentError(.busy, refusal) }
    }

    func savePresentedItemChanges() async throws {
        hear("save")
        let (path, text) = state.withLock { state in
            defer { state.unsaved = nil }
            return (state.path, state.unsaved)
        }
        if let path, let text { try Data(text.utf8).write(to: URL(fileURLWithPath: path.string)) }
    }
}
