import DocumentModel
import DocumentProvider
import Synchronization
import SystemPackage

/// A provider in this process, of one folder that is never empty: there is something in it that it tells nobody of, and what a
/// test puts there.
struct CrowdedProvider: ModifyingProvider {
    static let version = "1.0"

    private let remote: CrowdedRemote

    init(context: ProviderContext) async throws {
        guard let name = context.settings["remote"], let remote = CrowdedRemote.known(name) else {
            throw DocumentError(.notConfigured, "There is no such remote.")
        }
        self.remote = remote
    }

    func item(for id: ItemIdentifier) async throws -> Item { try remote.item(id) }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        if container == .root { return ItemPage(items: remote.isThere ? [remote.folder] : []) }
        let inside = remote.inside
        await remote.answersListing()
        return ItemPage(items: inside)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {}

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        throw DocumentError(.notPermitted, "Nothing is given away here.")
    }

    func itemChanged(_ id: ItemIdentifier) async throws {}
    func stopProvidingItem(_ id: ItemIdentifier) async throws {}

    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item {
        throw DocumentError(.notPermitted, "Nothing is made here.")
    }

    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item {
        throw DocumentError(.notPermitted, "Nothing is changed here.")
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        guard deletion.recursive else {
            await remote.refuses()
            throw DocumentError(.directoryNotEmpty, "The folder is not empty.")
        }
        remote.removeAll()
    }
}

/// What a ``CrowdedProvider`` gives access to, and what the test sees of it.
final class CrowdedRemote: Sendable {
    private struct State {
        var isThere = true
        var inside: [Item] = []
        var isHolding = false
        var held: CheckedContinuation<Void, Never>?
        var refusal: (@Sendable () async -> Void)?
    }

    private static let all = Mutex<[String: CrowdedRemote]>([:])

    private let state = Mutex(State())
    private let name: String
    let folder: Item

    init(_ name: String) throws {
        self.name = name
        folder = Item(
            id: try ItemIdentifier("F"), parentID: .root, name: try ItemName("F"), kind: .folder,
            modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [], metadata: [1]))
        Self.all.withLock { $0[name] = self }
    }

    static func known(_ name: String) -> CrowdedRemote? { all.withLock { $0[name] } }

    static func document(_ name: String, in folder: ItemIdentifier) throws -> Item {
        Item(
            id: try ItemIdentifier(name), parentID: folder, name: try ItemName(name), kind: .document, size: 1,
            modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [1], metadata: [1]))
    }

    /// Forgets it.
    func end() {
        answerListing()
        state.withLock { $0.refusal = nil }
        Self.all.withLock { $0[name] = nil }
    }

    // MARK: What there is

    var isThere: Bool { state.withLock { $0.isThere } }
    var inside: [Item] { state.withLock { $0.inside } }

    func item(_ id: ItemIdentifier) throws -> Item {
        if id == .root { return .root }
        guard isThere, let item = ([folder] + inside).first(where: { $0.id == id }) else {
            throw DocumentError(.noSuchItem, "There is no “\(id)”.")
        }
        return item
    }

    func put(_ item: Item) { state.withLock { $0.inside.append(item) } }

    fileprivate func removeAll() {
        state.withLock { state in
            state.isThere = false
            state.inside = []
        }
    }

    // MARK: When

    /// Before a removal of the folder is refused.
    func onRefusal(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.refusal = body } }

    fileprivate func refuses() async {
        let body = state.withLock { $0.refusal }
        await body?()
    }

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

    fileprivate func answersListing() async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                guard state.isHolding else { return true }
                state.isHolding = false
                state.held = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
    }
}
