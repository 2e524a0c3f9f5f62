import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import Logging
import ProviderLauncher
import Synchronization
import Testing

@testable import DocumentHost

/// Several documents of one folder that is gone on the remote are sent at once.
@Suite(.timeLimit(.minutes(1))) struct FolderTurnsTests {
    /// Makes folders when the test lets it.
    private final class Provider: ProviderCalling {
        struct State {
            var folders: [Item] = []
            var made: [String] = []
            var failures = 0
            var isOpen = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        let provider = "The provider Test (org.example.test)"
        let state = Mutex(State())

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            switch call {
            case .item(let id):
                guard let known = state.withLock({ $0.folders.first { $0.id == id } }) else {
                    throw DocumentError(.noSuchItem, "It is gone.")
                }
                return .item(known)
            case .create(let new):
                state.withLock { $0.made.append(new.operation) }
                await untilOpen()
                return try make(new)
            case .enumerate: return .enumerate(ItemPage(items: state.withLock { $0.folders }))
            default: throw DocumentError(.unimplemented, "Not here.")
            }
        }

        private func make(_ new: ProviderCall.CreateCall) throws(DocumentError) -> ProviderReply {
            let id = try ItemIdentifier("made \(state.withLock { $0.folders.count })")
            let item = Item(
                id: id, parentID: new.parentID, name: new.name, kind: .folder,
                version: try ItemVersion(content: [], metadata: [1]))
            let isRefused = state.withLock { state in
                guard state.failures == 0 else {
                    state.failures -= 1
                    return true
                }
                state.folders.append(item)
                return false
            }
            if isRefused { throw DocumentError(.serverUnreachable, "The remote is away.") }
            return .create(item)
        }

        private func untilOpen() async {
            await withCheckedContinuation { continuation in
                let isNow = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isNow { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        func noteBroken(_ finding: DocumentError) {}
        var made: [String] { state.withLock { $0.made } }
    }

    private let storage: StorageFixture
    private let provider = Provider()
    private let reviver: FolderReviver

    /// “F” is gone there; “F/a.txt” and “F/b.txt” were changed here.
    init() throws {
        storage = try StorageFixture()
        let folder = try storage.item("f", "F", kind: .folder)
        try storage.tell(folder)
        for name in ["a", "b"] {
            let item = try storage.item(name, "\(name).txt", in: "f", contents: "one")
            try storage.tell(item)
            try storage.provide(item, "one")
            try storage.edit(name, "mine")
        }
        try storage.store.recordGone(folder.id, in: storage.domain)
        let root = Item(
            id: .root, parentID: nil, name: nil, kind: .folder, version: try ItemVersion(content: [], metadata: [1]))
        provider.state.withLock { $0.folders = [root] }
        reviver = FolderReviver(
            storage: StorageThreads(store: storage.store, threads: 1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Sends one of them as far as the folder is concerned.
    private func reviving(for name: String) throws -> @Sendable () async throws -> ItemIdentifier {
        let (reviver, provider, item) = (reviver, provider, try storage.indexed(name))
        let folder = try ItemIdentifier("f")
        return { try await reviver.revive(folder, around: item, for: name, with: ProviderSession(provider)) }
    }

    private func untilAsked() async throws {
        while provider.made.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        // Whoever would not wait for its turn has asked by then, too.
        try await Task.sleep(for: .milliseconds(200))
    }

    @Test(
        "VER-15: of two documents that are sent at once into a folder that is gone, one has it made anew, and both go into it"
    )
    func once() async throws {
        let (first, second) = (try reviving(for: "a"), try reviving(for: "b"))
        async let one = first()
        async let other = second()
        try await untilAsked()
        #expect(provider.made.count == 1)
        provider.open()
        let (made, found) = try await (one, other)
        #expect(made == found && made.rawValue == "made 1")
        #expect(provider.made.count == 1, "\(provider.made)")
        #expect(try storage.indexed("a").item.parentID == made && storage.indexed("b").item.parentID == made)
        #expect(try storage.document("F/a.txt") == "mine" && storage.document("F/b.txt") == "mine")
    }

    @Test("VER-15: where it could not be made for the first, the next one has its turn, and has it made")
    func afterFailure() async throws {
        provider.state.withLock { $0.failures = 1 }
        let (first, second) = (try reviving(for: "a"), try reviving(for: "b"))
        async let one = first()
        async let other = second()
        try await untilAsked()
        provider.open()
        var made: [ItemIdentifier] = []
        var failures = 0
        do { made.append(try await one) } catch { failures += 1 }
        do { made.append(try await other) } catch { failures += 1 }
        #expect(failures == 1 && made.map(\.rawValue) == ["made 1"])
        #expect(provider.made.count == 2)
    }

    @Test("VER-15: whoever gives up while it waits for its turn asks for nothing")
    func givenUp() async throws {
        let (first, second) = (try reviving(for: "a"), try reviving(for: "b"))
        async let one = first()
        try await untilAsked()
        let other = Task { try await second() }
        try await Task.sleep(for: .milliseconds(100))
        other.cancel()
        await #expect(throws: DocumentError.self) { try await other.value }
        provider.open()
        #expect(try await one.rawValue == "made 1")
        #expect(provider.made.count == 1)
    }
}
