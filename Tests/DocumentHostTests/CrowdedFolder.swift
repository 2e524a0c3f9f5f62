import DocumentModel
import DocumentProvider
import Synchronization

/// A folder of a ``GatedRemote`` that is never empty: there is something in it that nobody is told of, and what a test
/// puts there.
final class CrowdedFolder: Sendable {
    private struct State {
        var isThere = true
        var inside: [Item] = []
        var isHolding = false
        var held: CheckedContinuation<Void, Never>?
        var refusal: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())
    let item: Item

    init() throws {
        item = Item(
            id: try ItemIdentifier("F"), parentID: .root, name: try ItemName("F"), kind: .folder,
            modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [], metadata: [1]))
    }

    static func document(_ name: String, in folder: ItemIdentifier) throws -> Item {
        Item(
            id: try ItemIdentifier(name), parentID: folder, name: try ItemName(name), kind: .document, size: 1,
            modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [1], metadata: [1]))
    }

    // MARK: What there is

    var isThere: Bool { state.withLock { $0.isThere } }
    var inside: [Item] { state.withLock { $0.inside } }
    /// The folder and what is in it, as far as anybody is told.
    var items: [Item] { state.withLock { $0.isThere ? [item] + $0.inside : [] } }

    func put(_ item: Item) { state.withLock { $0.inside.append(item) } }

    // MARK: For the provider

    func listing() async -> [Item] {
        let told = inside
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                guard state.isHolding else { return true }
                state.isHolding = false
                state.held = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
        return told
    }

    func remove(_ deletion: ItemDeletion) async throws {
        guard deletion.recursive else {
            let body = state.withLock { $0.refusal }
            await body?()
            throw DocumentError(.directoryNotEmpty, "The folder is not empty.")
        }
        state.withLock { state in
            state.isThere = false
            state.inside = []
        }
    }

    // MARK: When

    /// Before a removal of the folder is refused.
    func onRefusal(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.refusal = body } }

    /// The next listing of the folder says what is in it now, when it is told to.
    func holdNextListing() { state.withLock { $0.isHolding = true } }

    func untilListing() async {
        while state.withLock({ $0.held == nil }) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    func answerListing() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = nil }
            return state.held
        }
        held?.resume()
    }

    /// Nobody waits for anything any more.
    func end() {
        answerListing()
        state.withLock { $0.refusal = nil }
    }
}
