import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import FileCoordination
import ProviderLauncher
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// A sending that was carried out, whose answer was lost and never given again, and an edit after it.
@Suite struct LostAnswerTests {
    /// Has one document; takes what it is sent, and does not say so while answers are lost.
    private final class Provider: ProviderCalling {
        struct State {
            var item: Item?
            var contents = ""
            var losesAnswers = false
            /// What it was given, in order.
            var taken: [String] = []
            var isSignedOut = false
        }

        let provider = "The provider Test (org.example.test)"
        let state: Mutex<State>

        init(_ item: Item? = nil, _ contents: String = "") {
            state = Mutex(State(item: item, contents: contents))
        }

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            do {
                return try state.withLock { state in
                    switch call {
                    case .itemChanged: return .itemChanged
                    case .modify(let change):
                        guard !state.isSignedOut else { throw DocumentError(.notAuthenticated, "Sign in.") }
                        guard var item = state.item, item.version.content == change.baseVersion.content else {
                            throw DocumentError(.versionNoLongerAvailable, "It has changed.")
                        }
                        item.version = try ItemVersion(content: item.version.content + [0])
                        return .modify(try Self.take(change.contentsPath, as: item, &state))
                    case .create(let creation):
                        guard state.item?.name != creation.name else {
                            throw DocumentError(.nameCollision, "“\(creation.name)” is there.")
                        }
                        let id = state.item == nil ? "made" : "made beside it"
                        let item = Item(
                            id: try ItemIdentifier(id), parentID: .root, name: creation.name, kind: .document,
                            modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [1]))
                        return .create(try Self.take(creation.contentsPath, as: item, &state))
                    case .enumerate: return .enumerate(ItemPage(items: state.item.map { [$0] } ?? []))
                    case .startProviding(_, let path, _):
                        guard let item = state.item else { throw DocumentError(.noSuchItem, "It is gone.") }
                        try TemporaryFile.write(state.contents, to: FilePath(path))
                        return .startProviding(ProvidedContents(item))
                    default: throw DocumentError(.unimplemented, "It is not for that.")
                    }
                }
            } catch {
                throw error as? DocumentError ?? DocumentError(.internal, "\(error)")
            }
        }

        private static func take(_ path: String?, as item: Item, _ state: inout State) throws -> Item {
            state.contents = try TemporaryFile.read(FilePath(path ?? ""))
            state.taken.append(state.contents)
            var item = item
            item.size = Int64(state.contents.utf8.count)
            state.item = item
            guard !state.losesAnswers else { throw DocumentError(.serverUnreachable, "The server does not answer.") }
            return item
        }

        func noteBroken(_ finding: DocumentError) {}

        var taken: [String] { state.withLock { $0.taken } }
    }

    private let storage: StorageFixture
    private let threads: StorageThreads

    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store, threads: 1)
    }

    private func send(
        _ id: ItemIdentifier, to provider: Provider, settling: Delivery.Settling = .keepingBoth
    ) async throws {
        let delivery = Delivery.alone(threads)
        let begun = try #require(try await delivery.begin(ItemKey(domain: storage.domain, id: id)))
        _ = try await delivery.carryOut(
            begun, to: ProviderTurn(ProviderSession(provider), nil), settling: settling
        ) { _ in }
    }

    private func losingAnswer(_ id: ItemIdentifier, to provider: Provider) async throws {
        provider.state.withLock { $0.losesAnswers = true }
        await #expect(throws: DocumentError.self) { try await send(id, to: provider) }
        provider.state.withLock { $0.losesAnswers = false }
        #expect(try storage.indexed(id.rawValue).state == .changed)
    }

    private func changedDocument() throws -> (Item, Provider) {
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        return (item, Provider(item, "one"))
    }

    @Test("VER-15: what was sent and not answered for is what an edit after it began from: no conflict, and no copy")
    func change() async throws {
        let (item, provider) = try changedDocument()
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "three")
        try await send(item.id, to: provider)
        #expect(provider.taken == ["two", "three"])
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
    }

    @Test("VER-15: to go back to what was sent first and not answered for is an edit of what was sent last")
    func undone() async throws {
        let (item, provider) = try changedDocument()
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "three")
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "two")
        try await send(item.id, to: provider)
        #expect(provider.taken == ["two", "three", "two"])
        #expect(try storage.indexed("a").state == .materialised)
    }

    @Test("VER-15: a refusal of something else does not make it forgotten")
    func refusal() async throws {
        let (item, provider) = try changedDocument()
        try await losingAnswer(item.id, to: provider)
        provider.state.withLock { $0.isSignedOut = true }
        await #expect(throws: DocumentError.self) { try await send(item.id, to: provider) }
        provider.state.withLock { $0.isSignedOut = false }
        try storage.edit("a", "three")
        try await send(item.id, to: provider)
        #expect(provider.taken == ["two", "three"])
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
    }

    @Test("VER-15: the same of several edits whose answers were lost, whichever the remote has by now")
    func changes() async throws {
        let (item, provider) = try changedDocument()
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "three")
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "four")
        // The server comes back with what it had before.
        provider.state.withLock { state in
            state.contents = "two"
            state.item?.size = 3
        }
        try await send(item.id, to: provider)
        #expect(provider.taken == ["two", "three", "four"])
        #expect(try storage.indexed("a").state == .materialised)
    }

    @Test("VER-2: what others have written there since is a conflict all the same, and so is what was agreed on before")
    func others() async throws {
        let (item, provider) = try changedDocument()
        try await losingAnswer(item.id, to: provider)
        try storage.edit("a", "three")
        provider.state.withLock { state in
            state.contents = "theirs"
            state.item?.size = 6
        }
        let error = await #expect(throws: DocumentError.self) { try await send(item.id, to: provider) }
        #expect(error?.code == .inConflict)
        #expect(try storage.indexed("a").state == .conflict)

        // Ours is sent over theirs; then others write what had been sent before all that.
        _ = try storage.store.resolveConflict(of: item.id, in: storage.domain, keepingLocal: true)
        try await send(item.id, to: provider)
        try storage.edit("a", "five")
        try provider.state.withLock { state in
            state.contents = "two"
            state.item?.size = 3
            state.item?.version = try ItemVersion(content: [99])
        }
        let second = await #expect(throws: DocumentError.self) { try await send(item.id, to: provider) }
        #expect(second?.code == .inConflict)
    }

    @Test("VER-15: a new document, not answered for and edited since, is the one that was made, changed")
    func creation() async throws {
        let provider = Provider()
        let entry = try storage.store.expectDocument(named: ItemName("new.txt"), in: .root, of: storage.domain)
        let path = storage.tree.path(of: try storage.location("new.txt"))
        try storage.write("first", to: path)
        let made = try #require(try storage.store.takeIn(entry) { name, _, _ in name })
        try await losingAnswer(made.id, to: provider)
        try storage.edit(made.id.rawValue, "second, longer")
        try await send(made.id, to: provider)
        // It is the provider's by now, and still to be sent.
        let known = try storage.indexed("made")
        #expect(known.state == .changed && known.synced?.content == [1])
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
        #expect(try storage.read(path) == "second, longer")
        try await send(known.id, to: provider)
        #expect(provider.taken == ["first", "second, longer"])
        #expect(try storage.indexed("made").state == .materialised)
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
    }

    @Test(
        "VER-14: what is to be written over is kept first; as long as that fails nothing is decided, and no side is given up"
    )
    func failedOverwriting() async throws {
        let (item, provider) = try changedDocument()
        let theirs = try storage.item("a", "a.txt", contents: "theirs", version: "9")
        provider.state.withLock { state in
            state.item = theirs
            state.contents = "theirs"
            state.isSignedOut = true
        }
        try storage.tell(theirs)
        for _ in 0..<2 {
            await #expect(throws: DocumentError.self) { try await send(item.id, to: provider, settling: .overwriting) }
        }
        let now = try storage.indexed("a")
        #expect(now.state == .changed && now.synced == item.version)
        #expect(try storage.index.read { try $0.conflicts(in: storage.domain) }.isEmpty)
        // Who decides otherwise by then finds that both were changed.
        let refusal = await #expect(throws: DocumentError.self) {
            try await send(item.id, to: provider, settling: .refusing)
        }
        #expect(refusal?.code == .localVersionConflicting)
        provider.state.withLock { $0.isSignedOut = false }
        #expect(provider.taken == [])
        try await send(item.id, to: provider, settling: .overwriting)
        #expect(provider.taken == ["two"])
        #expect(try storage.indexed("a").state == .materialised)
        let kept = try storage.index.read { try $0.keptVersions(of: item.id, in: storage.domain) }
        #expect(
            try kept.map { try storage.read(storage.root.versions.path(of: $0.kept)) } == ["theirs", "one"],
            "once each")
    }
}
