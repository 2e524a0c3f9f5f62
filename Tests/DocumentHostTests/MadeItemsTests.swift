import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import Logging
import ProviderLauncher
import Synchronization
import Testing

@testable import DocumentHost

/// An item that a provider was just asked to make, and whose deletion its feed may have told of before it answered.
@Suite struct MadeItemsTests {
    /// A provider that is asked for one item.
    private struct Provider: ProviderCalling {
        let provider = "The provider Test (org.example.test)"
        let refusal: DocumentError.Code
        let meanwhile: @Sendable () throws -> Void

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            do {
                try meanwhile()
            } catch {
                throw DocumentError(.internal, "\(error)")
            }
            throw DocumentError(refusal, "Not now.")
        }

        func noteBroken(_ finding: DocumentError) {}
    }

    private let storage: StorageFixture
    private let threads: StorageThreads
    private let made: MadeItems
    private let anchors: [SyncAnchor]
    private let id: ItemIdentifier

    init() throws {
        storage = try StorageFixture()
        threads = StorageThreads(store: storage.store, threads: 1)
        made = MadeItems(storage: threads, logger: Logger(label: "made") { _ in SwiftLogNoOpLogHandler() })
        anchors = try (1...3).map { try SyncAnchor([$0]) }
        let item = try storage.item("a", "a.txt", contents: "one")
        try storage.tell(item)
        id = item.id
    }

    private func setAnchor(_ anchor: SyncAnchor?) throws {
        let domain = storage.domain
        try storage.index.write { try $0.setAnchor(anchor, of: domain) }
    }

    private var anchor: SyncAnchor? {
        get throws { try storage.index.read { try $0.domain(storage.domain)?.anchor } }
    }

    private func isGone(
        _ refusal: DocumentError.Code, _ meanwhile: @escaping @Sendable () throws -> Void = {}
    ) async throws -> Bool {
        let session = ProviderSession(Provider(refusal: refusal, meanwhile: meanwhile))
        return try await made.isGone(id, of: storage.domain, since: anchors[0], session)
    }

    @Test("PROV-21: nobody is asked for what was made while the feed told nothing")
    func silence() async throws {
        try setAnchor(anchors[0])
        let wasAsked = Mutex(false)
        #expect(try await !isGone(.noSuchItem) { wasAsked.withLock { $0 = true } })
        #expect(!wasAsked.withLock { $0 })
    }

    @Test("PROV-21: what was removed as soon as it was made, goes here, too")
    func gone() async throws {
        try setAnchor(anchors[1])
        #expect(try await isGone(.noSuchItem))
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
        #expect(try anchor == anchors[1])
    }

    @Test("PROV-21: where nobody can say whether it is there, the feed is read once more from before it was made")
    func unknown() async throws {
        try setAnchor(anchors[1])
        #expect(try await !isGone(.serverUnreachable))
        #expect(try anchor == anchors[0])
        #expect(try storage.indexed("a").id == id)
    }

    @Test("PROV-21: where the feed was read on, or set back, by somebody else meanwhile, everything is listed again")
    func overtaken() async throws {
        try setAnchor(anchors[1])
        let (index, domain, next) = (storage.index, storage.domain, anchors[2])
        #expect(try await !isGone(.serverUnreachable) { try index.write { try $0.setAnchor(next, of: domain) } })
        #expect(try anchor == nil)
    }
}
