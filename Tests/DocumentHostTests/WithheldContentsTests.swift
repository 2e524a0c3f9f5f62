import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import ProviderLauncher
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// Something has the name of what is sent, and its provider does not give it away, or cannot for the moment.
@Suite struct WithheldContentsTests {
    enum Question: CaseIterable, Sendable {
        case listing, contents
    }

    private final class Provider: ProviderCalling {
        struct State {
            var refusing: Question?
            var code = DocumentError.Code.busy
            /// What documents were to be made as.
            var names: [String] = []
        }

        let provider = "The provider Test (org.example.test)"
        let other: Item
        let contents: String
        let state = Mutex(State())

        init(having other: Item, _ contents: String) {
            self.other = other
            self.contents = contents
        }

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            do {
                switch call {
                case .create(let new):
                    state.withLock { $0.names.append(new.name.rawValue) }
                    guard new.name != other.name else { throw DocumentError(.nameCollision, "“\(new.name)” is there.") }
                    var made = other
                    (made.id, made.name, made.size) = (try ItemIdentifier("new"), new.name, 4)
                    return .create(made)
                case .enumerate:
                    try refuse(.listing)
                    return .enumerate(ItemPage(items: [other]))
                case .startProviding(_, let path, _):
                    try refuse(.contents)
                    try TemporaryFile.write(contents, to: FilePath(path))
                    return .startProviding(ProvidedContents(other))
                default: throw DocumentError(.unimplemented, "Not here.")
                }
            } catch {
                throw error as? DocumentError ?? DocumentError(.internal, "\(error)")
            }
        }

        private func refuse(_ question: Question) throws {
            let code = state.withLock { $0.refusing == question ? $0.code : nil }
            if let code { throw DocumentError(code, "It does not say.") }
        }

        func noteBroken(_ finding: DocumentError) {}

        var names: [String] { state.withLock { $0.names } }
    }

    private let storage: StorageFixture
    private let provider: Provider
    private let delivery: Delivery

    /// “a.txt” was changed here to “mine”, and is gone there; something else that says the same has its name.
    init() throws {
        storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "mine")
        try storage.store.recordGone(item.id, in: storage.domain)
        provider = Provider(having: try storage.item("b", "a.txt", contents: "mine"), "mine")
        delivery = Delivery.alone(StorageThreads(store: storage.store, threads: 1))
    }

    private func make() async -> DocumentError? {
        do {
            let sending = try storage.store.beginSending(try ItemIdentifier("a"), in: storage.domain)
            do {
                try await delivery.make(sending, modified: nil, with: ProviderTurn(ProviderSession(provider), nil))
                return nil
            } catch {
                try storage.store.abandon(sending, because: nil, .open)
                throw error
            }
        } catch {
            return error as? DocumentError ?? DocumentError(.internal, "\(error)")
        }
    }

    @Test(
        "VER-15: what has its name there and is given to nobody, or is gone by then, is no other edition of it: the edit is made beside it",
        arguments: Question.allCases,
        [DocumentError.Code.notPermitted, .unimplemented, .cannotSynchronize, .excludedFromSync, .noSuchItem])
    func withheld(_ question: Question, _ code: DocumentError.Code) async throws {
        provider.state.withLock { ($0.refusing, $0.code) = (question, code) }
        #expect(await make() == nil)
        #expect(provider.names.count == 2 && provider.names[0] == "a.txt")
        let made = try storage.indexed("new")
        #expect(made.item.name?.rawValue == provider.names[1] && made.state == .materialised)
        #expect(try storage.document(provider.names[1]) == "mine")
    }

    @Test(
        "VER-15: what could not be looked at for the moment is not known to be another: nothing is made, and it is found to be the same later",
        arguments: Question.allCases,
        [
            (DocumentError.Code.serverUnreachable, DocumentError.Code.serverUnreachable), (.busy, .busy),
            (.notAuthenticated, .notAuthenticated), (.deadlineExceeded, .deadlineExceeded), (.cancelled, .cancelled),
            (.contractBroken, .busy), (.invalidArgument, .busy),
        ])
    func unanswered(_ question: Question, _ codes: (DocumentError.Code, DocumentError.Code)) async throws {
        provider.state.withLock { ($0.refusing, $0.code) = (question, codes.0) }
        #expect(await make()?.code == codes.1)
        #expect(provider.names == ["a.txt"])
        #expect(try storage.indexed("a").isUnsent && storage.document("a.txt") == "mine")
        provider.state.withLock { $0.refusing = nil }
        #expect(await make() == nil)
        #expect(provider.names == ["a.txt", "a.txt"], "none was made")
        #expect(try storage.indexed("b").state == .materialised)
        #expect(try storage.document("a.txt") == "mine")
    }
}
