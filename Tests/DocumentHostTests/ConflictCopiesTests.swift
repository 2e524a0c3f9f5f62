import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Logging
import ProviderLauncher
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// Contents in conflict that are made a document of their own, and asked for again because the answer was lost.
@Suite struct ConflictCopiesTests {
    private let storage: StorageFixture
    private let provider = RememberingProvider()
    private let copies: ConflictCopies

    init() throws {
        storage = try StorageFixture()
        let threads = StorageThreads(store: storage.store, threads: 1)
        copies = ConflictCopies(
            storage: threads, broker: CoordinationBroker(),
            made: MadeItems(storage: threads, logger: Logger(label: "copies") { _ in SwiftLogNoOpLogHandler() }))
        try storage.tell(provider.make("a.txt", "theirs"))
        try storage.write("mine", to: storage.folder.appending("side"))
    }

    /// As often as that is to be asked for.
    private func keep(in parent: ItemIdentifier = .root) async throws {
        var attempts = CopyAttempts()
        while true {
            let failure = try await copies.make(
                of: storage.folder.appending("side"), modified: Timestamp(seconds: 1_700_000_000), keptAs: ["k"],
                beside: storage.indexed("i1"), in: parent, as: ItemName("mine.txt"), isChosen: true,
                attempt: attempts.number, with: ProviderSession(provider))
            guard let failure else { return }
            try attempts.next(after: failure, of: storage.location("a.txt"))
        }
    }

    private func losingAnswer() async throws {
        provider.state.withLock { $0.losesAnswers = true }
        await #expect(throws: DocumentError.self) { try await keep() }
        provider.state.withLock { $0.losesAnswers = false }
    }

    @Test("VER-5, RS-5: a copy whose answer was lost, and that is there, is the one that is asked for")
    func answerLost() async throws {
        try await losingAnswer()
        try await keep()
        #expect(provider.contents == ["theirs", "mine"])
        #expect(try storage.indexed("i2").state == .placeholder)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test(
        "VER-5, VER-15: a copy whose answer was lost, and that somebody has removed since, is made anew, as often as that happens, and the one that is gone is not shown",
        arguments: [false, true])
    func removedSince(isSaid: Bool) async throws {
        provider.state.withLock { $0.saysWhatIsGone = isSaid }
        for _ in 1...2 {
            try await losingAnswer()
            try provider.remove("mine.txt")
        }
        try await keep()
        #expect(provider.contents == ["theirs", "mine"])
        let known = try storage.index.read { try $0.children(of: .root, in: storage.domain, limit: 9) }.items
        let made = try #require(provider.state.withLock { $0.documents.last?.item.id.rawValue })
        #expect(known.map(\.id.rawValue).sorted() == ["i1", made])
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("VER-5: in a folder that is gone no copy is asked for more than once")
    func folderGone() async throws {
        let folder = try storage.item("f", "f", kind: .folder)
        try storage.tell(folder)
        provider.state.withLock { $0.refusal = .noSuchItem }
        let error = await #expect(throws: DocumentError.self) { try await keep(in: folder.id) }
        #expect(error?.code == .noSuchItem)
        #expect(provider.names.count == 1)
    }

    @Test(
        "VER-5: of a provider that says of each copy that it is not there, no more are made than some, and that is said"
    )
    func copiesThatAreNotThere() async throws {
        provider.state.withLock { $0.forgets = true }
        let error = await #expect(throws: DocumentError.self) { try await keep() }
        #expect(error?.code == .cannotSynchronize)
        #expect(error?.message.contains("work:/a.txt") == true)
        // With the document itself.
        #expect(provider.state.withLock { $0.count } == 1 + CopyAttempts.mostGone)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("VER-5: names that are taken are passed over, up to a limit")
    func takenNames() throws {
        var attempts = CopyAttempts()
        let location = try storage.location("a.txt")
        for _ in 1..<CopyAttempts.most { try attempts.next(after: .nameTaken, of: location) }
        #expect(attempts.number == CopyAttempts.most)
        let error = #expect(throws: DocumentError.self) { try attempts.next(after: .nameTaken, of: location) }
        #expect(error?.code == .nameCollision)
    }
}
