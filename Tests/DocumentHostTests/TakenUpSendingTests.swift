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

/// A sending whose answer was lost, taken up under its old name.
@Suite struct TakenUpSendingTests {
    /// Takes each operation once, and answers with what it came to from then on, whatever has become of that.
    private final class Provider: ProviderCalling {
        struct State {
            var answers: [String: Item] = [:]
            /// What there is, by its identifier.
            var contents: [ItemIdentifier: String] = [:]
            var asked: [String] = []
        }

        let provider = "The provider Test (org.example.test)"
        let state = Mutex(State())

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            do {
                return try state.withLock { state in
                    switch call {
                    case .itemChanged: return .itemChanged
                    case .item(let id):
                        guard state.contents[id] != nil else { throw DocumentError(.noSuchItem, "It is gone.") }
                        return .item(try Self.item(id.rawValue, version: 2))
                    case .modify(let change):
                        return .modify(
                            try Self.once(change.operation, change.id.rawValue, change.contentsPath, &state))
                    case .create(let creation):
                        return .create(try Self.once(creation.operation, "b", creation.contentsPath, &state))
                    default: throw DocumentError(.unimplemented, "Not here.")
                    }
                }
            } catch {
                throw error as? DocumentError ?? DocumentError(.internal, "\(error)")
            }
        }

        private static func once(
            _ operation: String, _ id: String, _ path: String?, _ state: inout State
        ) throws -> Item {
            state.asked.append(operation)
            if let known = state.answers[operation] { return known }
            let item = try item(id, version: 2)
            state.contents[item.id] = try TemporaryFile.read(FilePath(path ?? ""))
            state.answers[operation] = item
            return item
        }

        static func item(_ id: String, version: UInt8) throws -> Item {
            Item(
                id: try ItemIdentifier(id), parentID: .root, name: try ItemName("a.txt"), kind: .document, size: 3,
                modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [version]))
        }

        func noteBroken(_ finding: DocumentError) {}
    }

    @Test(
        "VER-15: what was sent, and removed by others before its answer was heard, is made anew, and not taken to be there"
    )
    func removedMeanwhile() async throws {
        let (storage, provider) = (try StorageFixture(), Provider())
        let item = try Provider.item("a", version: 1)
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit("a", "two")
        let threads = StorageThreads(store: storage.store, threads: 1)
        defer { threads.shutdown() }
        let delivery = Delivery.alone(threads)
        // The provider takes it, and the host dies before it hears of that.
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try await ProviderSession(provider).modify(
            ProviderCall.ModifyCall(
                id: item.id, baseVersion: sending.base, contentsPath: sending.snapshot.path.string,
                modified: sending.snapshot.identity.modified, operation: sending.operation), onProgress: { _ in })
        // Others remove it.
        provider.state.withLock { $0.contents[item.id] = nil }
        _ = try storage.index.write { try $0.delete([item.id], in: storage.domain) }

        let begun = try #require(try await delivery.begin(ItemKey(domain: storage.domain, id: item.id)))
        #expect(begun.sending.isRepeated)
        _ = try await delivery.carryOut(begun, to: ProviderTurn(ProviderSession(provider), nil)) { _ in }

        let name = sending.operation
        #expect(provider.state.withLock { $0.asked } == [name, "\(name)-anew"])
        #expect(try provider.state.withLock { $0.contents } == [ItemIdentifier("b"): "two"])
        #expect(try storage.indexed("b").state == .materialised)
    }
}
