import DocumentModel
import DocumentTestSupport
import DocumentWire
import ProviderLauncher
import Synchronization
import SystemPackage

/// Does each operation once, and answers with what it came to from then on; does not say so while answers are lost.
final class RememberingProvider: ProviderCalling {
    struct State {
        /// What there is, in the order in which it was made.
        var documents: [(item: Item, contents: String)] = []
        var answers: [String: Item] = [:]
        /// Operations' names, without what is said behind them, the first ones first.
        var names: [String] = []
        var losesAnswers = false
        /// Dies when it has done something, and does not run for one call.
        var dies = false
        var refusal: DocumentError.Code?
        /// Once, what it gives away is damaged, or nobody is told what there is.
        var damages = false
        var isUnlistable = false
        /// Of an operation that made what is gone by now it says so, and does not answer as it did then.
        var saysWhatIsGone = false
        /// What it makes is not there when it has said so.
        var forgets = false
        var versions: UInt8 = 0
        /// How many documents were ever made.
        var count = 0
    }

    let provider = "The provider Test (org.example.test)"
    let state = Mutex(State())

    var names: [String] { state.withLock { $0.names } }
    var contents: [String] { state.withLock { $0.documents.map(\.contents) } }

    // MARK: Others

    func make(_ name: String, _ contents: String) throws -> Item {
        try state.withLock { try Self.make(ItemName(name), contents, &$0) }
    }

    func change(_ id: ItemIdentifier, _ contents: String) throws -> Item {
        try state.withLock { try Self.change(id, contents, &$0) }
    }

    func rename(_ name: String, _ other: String) throws {
        let (name, other) = (try ItemName(name), try ItemName(other))
        state.withLock { state in
            for index in state.documents.indices where state.documents[index].item.name == name {
                state.documents[index].item.name = other
            }
        }
    }

    func remove(_ name: String) throws {
        let name = try ItemName(name)
        state.withLock { $0.documents.removeAll { $0.item.name == name } }
    }

    // MARK: The host

    func call(
        _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> ProviderReply {
        do {
            return try state.withLock { state in
                switch call {
                case .itemChanged: return .itemChanged
                case .item(let id) where id == .root:
                    return .item(
                        Item(id: id, parentID: nil, name: nil, kind: .folder, version: try ItemVersion(content: [])))
                case .item(let id): return .item(try Self.document(id, state).item)
                case .enumerate where state.isUnlistable:
                    state.isUnlistable = false
                    throw DocumentError(.providerDied, "It has died.")
                case .enumerate: return .enumerate(ItemPage(items: state.documents.map(\.item)))
                case .startProviding(let id, let path, _):
                    let found = try Self.document(id, state)
                    try TemporaryFile.write(found.contents, to: FilePath(path))
                    defer { state.damages = false }
                    return .startProviding(
                        ProvidedContents(found.item, sha256: state.damages ? Array(repeating: 0, count: 32) : nil))
                case .modify(let change):
                    return .modify(
                        try Self.once(change.operation, &state) { state in
                            guard try Self.document(change.id, state).item.version.satisfies(change.baseVersion) else {
                                throw DocumentError(.versionNoLongerAvailable, "It has changed.")
                            }
                            let contents = try TemporaryFile.read(FilePath(change.contentsPath ?? ""))
                            return try Self.change(change.id, contents, &state)
                        })
                case .create(let new):
                    return .create(
                        try Self.once(new.operation, &state) { state in
                            guard !state.documents.contains(where: { $0.item.name == new.name }) else {
                                throw DocumentError(.nameCollision, "“\(new.name)” is there.")
                            }
                            let contents = try TemporaryFile.read(FilePath(new.contentsPath ?? ""))
                            let made = try Self.make(new.name, contents, &state)
                            if state.forgets { state.documents.removeAll { $0.item.id == made.id } }
                            return made
                        })
                default: throw DocumentError(.unimplemented, "It is not for that.")
                }
            }
        } catch {
            throw error as? DocumentError ?? DocumentError(.internal, "\(error)")
        }
    }

    func noteBroken(_ finding: DocumentError) {}

    private static func once(
        _ operation: String, _ state: inout State, _ body: (inout State) throws -> Item
    ) throws -> Item {
        let name = String(operation.prefix { $0 != "-" })
        if !state.names.contains(name) { state.names.append(name) }
        if state.dies, state.answers[operation] != nil {
            state.dies = false
            throw DocumentError(.providerUnavailable, "It is not started again yet.")
        }
        if let refusal = state.refusal { throw DocumentError(refusal, "Not now.") }
        if state.saysWhatIsGone, let made = state.answers[operation] { _ = try document(made.id, state) }
        let item = try state.answers[operation] ?? body(&state)
        state.answers[operation] = item
        guard !state.losesAnswers else { throw DocumentError(.serverUnreachable, "The server does not answer.") }
        guard !state.dies else { throw DocumentError(.providerDied, "It has died.") }
        return item
    }

    private static func document(_ id: ItemIdentifier, _ state: State) throws -> (item: Item, contents: String) {
        guard let found = state.documents.first(where: { $0.item.id == id }) else {
            throw DocumentError(.noSuchItem, "It is gone.")
        }
        return found
    }

    private static func make(_ name: ItemName, _ contents: String, _ state: inout State) throws -> Item {
        state.count += 1
        let id = try ItemIdentifier("i\(state.count)")
        let item = Item(
            id: id, parentID: .root, name: name, kind: .document, modified: Timestamp(seconds: 1_700_000_000),
            version: .none)
        state.documents.append((item, contents))
        return try change(id, contents, &state)
    }

    private static func change(_ id: ItemIdentifier, _ contents: String, _ state: inout State) throws -> Item {
        guard let index = state.documents.firstIndex(where: { $0.item.id == id }) else {
            throw DocumentError(.noSuchItem, "It is gone.")
        }
        state.versions += 1
        state.documents[index].contents = contents
        state.documents[index].item.size = Int64(contents.utf8.count)
        state.documents[index].item.version = try ItemVersion(content: [state.versions], metadata: [state.versions])
        return state.documents[index].item
    }
}
