import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Synchronization
import SystemPackage

/// A provider in this process that is asked for contents, and given some, and answers when the test lets it: one request after
/// the other, in the order in which they came.
struct GatedProvider: ModifyingProvider {
    static let version = "1.0"

    private let remote: GatedRemote

    init(context: ProviderContext) async throws {
        guard let name = context.settings["remote"], let remote = GatedRemote.known(name) else {
            throw DocumentError(.notConfigured, "There is no such remote.")
        }
        self.remote = remote
    }

    func item(for id: ItemIdentifier) async throws -> Item { try remote.look(id) }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        if let folder = remote.folder, container == folder.item.id { return ItemPage(items: await folder.listing()) }
        return ItemPage(items: remote.top)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {}

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try await remote.turn(of: id)
        try TemporaryFile.write(GatedRemote.contents, to: stagingFile)
        return try remote.item(id)
    }

    func itemChanged(_ id: ItemIdentifier) async throws {}
    func stopProvidingItem(_ id: ItemIdentifier) async throws {}

    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item {
        throw DocumentError(.notPermitted, "Nothing is made here.")
    }

    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item {
        try await remote.turn(of: modification.id)
        return try remote.change(modification.id, to: modification.contents.map(TemporaryFile.read) ?? "")
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        guard let folder = remote.folder, deletion.id == folder.item.id else {
            throw DocumentError(.notPermitted, "Nothing is removed here.")
        }
        try await folder.remove(deletion)
    }
}

/// What a ``GatedProvider`` gives access to, and what the test sees of it.
final class GatedRemote: Sendable {
    static let contents = "of the remote"

    private struct State {
        var documents: [Item] = []
        /// In the order in which they were asked for, since the start.
        var asked: [ItemIdentifier] = []
        /// What whoever asks for one item is told; nil: what there is.
        var refusal: DocumentError.Code?
        var refusals = 0
        var isOpen = false
        /// Each is told what it is refused with; nil: it is answered.
        var waiting: [CheckedContinuation<DocumentError.Code?, Never>] = []
    }

    private static let all = Mutex<[String: GatedRemote]>([:])

    private let state = Mutex(State())
    let name: String
    let folder: CrowdedFolder?

    /// - Parameters:
    ///   - count: how many documents there are: `000.txt` and so on.
    ///   - folder: one that there is beside them.
    init(_ name: String, count: Int, folder: CrowdedFolder? = nil) throws {
        (self.name, self.folder) = (name, folder)
        let documents = try (0..<count).map { number in
            let digits = String(number)
            let text = String(repeating: "0", count: 3 - digits.count) + digits
            return Item(
                id: try ItemIdentifier(text), parentID: .root, name: try ItemName("\(text).txt"), kind: .document,
                size: Int64(Self.contents.utf8.count), modified: Timestamp(seconds: 1_700_000_000),
                version: try ItemVersion(content: [1], metadata: [1]))
        }
        state.withLock { $0.documents = documents }
        Self.all.withLock { $0[name] = self }
    }

    deinit { open() }

    static func known(_ name: String) -> GatedRemote? { all.withLock { $0[name] } }

    /// Forgets it.
    func end() {
        open()
        folder?.end()
        Self.all.withLock { $0[name] = nil }
    }

    var documents: [Item] { state.withLock { $0.documents } }
    /// What is in the top folder.
    var top: [Item] {
        guard let folder, folder.isThere else { return documents }
        return documents + [folder.item]
    }
    var asked: [String] { state.withLock { $0.asked.map(\.rawValue) } }

    func item(_ id: ItemIdentifier) throws -> Item {
        if id == .root {
            return Item(
                id: .root, parentID: nil, name: nil, kind: .folder, modified: Timestamp(seconds: 1_700_000_000),
                version: try ItemVersion(content: [], metadata: [1]))
        }
        let all = documents + (folder.map(\.items) ?? [])
        guard let item = all.first(where: { $0.id == id }) else {
            throw DocumentError(.noSuchItem, "There is no “\(id)”.")
        }
        return item
    }

    /// For a provider that is asked for one item.
    fileprivate func look(_ id: ItemIdentifier) throws -> Item {
        let refusal = state.withLock { state in
            if state.refusal != nil { state.refusals += 1 }
            return state.refusal
        }
        if let refusal { throw DocumentError(refusal, "Not now.") }
        return try item(id)
    }

    /// Who asks for one item is told so from now on; nil: what there is.
    func refuse(_ code: DocumentError.Code?) { state.withLock { $0.refusal = code } }

    /// How often somebody was.
    var refusals: Int { state.withLock { $0.refusals } }

    fileprivate func change(_ id: ItemIdentifier, to contents: String) throws -> Item {
        let version = try ItemVersion(content: [2], metadata: [2])
        return try state.withLock { state in
            guard let index = state.documents.firstIndex(where: { $0.id == id }) else {
                throw DocumentError(.noSuchItem, "There is no “\(id)”.")
            }
            state.documents[index].size = Int64(contents.utf8.count)
            state.documents[index].version = version
            return state.documents[index]
        }
    }

    // MARK: Turns

    fileprivate func turn(of id: ItemIdentifier) async throws {
        let refusal = await withCheckedContinuation { (continuation: CheckedContinuation<DocumentError.Code?, Never>) in
            let isNow = state.withLock { state in
                state.asked.append(id)
                if state.isOpen { return true }
                state.waiting.append(continuation)
                return false
            }
            if isNow { continuation.resume(returning: nil) }
        }
        if let refusal { throw DocumentError(refusal, "Not this one.") }
    }

    /// Answers the one that was asked for first, or refuses it.
    func answerNext(with refusal: DocumentError.Code? = nil) {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume(returning: refusal)
    }

    /// Answers all, from now on at once.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume(returning: nil) }
    }

    func close() { state.withLock { $0.isOpen = false } }
    func forgetAsked() { state.withLock { $0.asked = [] } }
}
