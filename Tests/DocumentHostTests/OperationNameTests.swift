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

/// What is asked for once is asked for under one name, until the provider has answered: also when both answers were lost, the
/// host was started anew, and others have changed what was made.
@Suite struct OperationNameTests {
    private let storage: StorageFixture
    private let provider = RememberingProvider()

    init() throws {
        storage = try StorageFixture()
    }

    private func send(_ id: ItemIdentifier) async throws {
        let threads = StorageThreads(store: storage.store, threads: 1)
        defer { threads.shutdown() }
        let delivery = Delivery.alone(threads)
        let begun = try #require(try await delivery.begin(ItemKey(domain: storage.domain, id: id)))
        _ = try await delivery.carryOut(begun, to: ProviderTurn(ProviderSession(provider), nil)) { _ in }
    }

    private func losingAnswers(_ id: ItemIdentifier) async throws {
        provider.state.withLock { $0.losesAnswers = true }
        await #expect(throws: DocumentError.self) { try await send(id) }
        provider.state.withLock { $0.losesAnswers = false }
        #expect(try storage.indexed(id.rawValue).state == .changed)
    }

    private func changedDocument() throws -> Item {
        let item = try provider.make("a.txt", "one")
        try storage.tell(item)
        try storage.provide(item, "one")
        try storage.edit(item.id.rawValue, "two")
        return item
    }

    private func newDocument(_ contents: String) throws -> ItemIdentifier {
        let entry = try storage.store.expectDocument(named: ItemName("new.txt"), in: .root, of: storage.domain)
        try storage.write(contents, to: storage.tree.path(of: try storage.location("new.txt")))
        return try #require(try storage.store.takeIn(entry) { name, _, _ in name }).id
    }

    private func conflicts() throws -> Int { try storage.index.read { try $0.conflicts(in: storage.domain).count } }

    @Test(
        "RS-5, VER-15: a change that was taken and not answered for is no conflict with what others made of it",
        arguments: [false, true])
    func change(isStartedAnew: Bool) async throws {
        let item = try changedDocument()
        try await losingAnswers(item.id)
        try await losingAnswers(item.id)
        let theirs = try provider.change(item.id, "two, and theirs")
        if isStartedAnew {
            try storage.reopen()
            _ = try storage.store.reconcile()
        }
        try storage.tell(theirs)
        try await send(item.id)
        #expect(provider.names.count == 1)
        #expect(provider.contents == ["two, and theirs"])
        #expect(try conflicts() == 0)
        let known = try storage.indexed(item.id.rawValue)
        #expect(known.state == .outdated && known.item.version == theirs.version)
    }

    @Test("RS-5: other contents are asked for under another name, and the same ones after them once more under a third")
    func otherContents() async throws {
        let item = try changedDocument()
        try await losingAnswers(item.id)
        try storage.edit(item.id.rawValue, "three")
        try await losingAnswers(item.id)
        try storage.edit(item.id.rawValue, "two")
        try await send(item.id)
        #expect(provider.names.count == 3)
        #expect(provider.contents == ["two"])
        #expect(try storage.indexed(item.id.rawValue).state == .materialised)
        #expect(try conflicts() == 0)
    }

    @Test("RS-5: what the power failed over, and was edited since, is known again when the remote turns out to have it")
    func powerFailure() async throws {
        let item = try changedDocument()
        let sending = try storage.store.beginSending(item.id, in: storage.domain)
        _ = try await ProviderSession(provider).modify(
            ProviderCall.ModifyCall(
                id: item.id, baseVersion: sending.base, contentsPath: sending.snapshot.path.string,
                operation: sending.operation), onProgress: { _ in })
        // The copy was not on the disk, and what was written since was.
        try storage.root.staging.request(named: sending.snapshot.request)?.remove()
        try storage.write("three", to: storage.tree.path(of: sending.location))
        try storage.reopen()
        _ = try storage.store.reconcile()
        try await send(item.id)
        #expect(provider.contents == ["three"])
        #expect(try conflicts() == 0)
        #expect(try storage.indexed(item.id.rawValue).state == .materialised)
    }

    @Test("RS-5: a refusal for good ends a name; that a provider is busy, or does not run, does not")
    func refusals() async throws {
        let item = try changedDocument()
        try await losingAnswers(item.id)
        for code in [DocumentError.Code.busy, .providerUnavailable, .notAuthenticated] {
            provider.state.withLock { $0.refusal = code }
            await #expect(throws: DocumentError.self) { try await send(item.id) }
        }
        #expect(provider.names.count == 1)
        provider.state.withLock { $0.refusal = .nameCollision }
        await #expect(throws: DocumentError.self) { try await send(item.id) }
        provider.state.withLock { $0.refusal = nil }
        try await send(item.id)
        #expect(provider.names.count == 2)
        #expect(provider.contents == ["two"])
    }

    @Test("RS-5: what a provider that died over it says then, when it does not run, leaves open what it has done")
    func death() async throws {
        let item = try changedDocument()
        provider.state.withLock { $0.dies = true }
        await #expect(throws: DocumentError.self) { try await send(item.id) }
        let theirs = try provider.change(item.id, "two, and theirs")
        try storage.tell(theirs)
        try await send(item.id)
        #expect(provider.names.count == 1)
        #expect(try conflicts() == 0)
    }

    @Test(
        "RS-5, CONT-7: a new document that was made and not answered for is made once, wherever others have put it",
        arguments: [false, true])
    func creation(isStartedAnew: Bool) async throws {
        let id = try newDocument("first")
        try await losingAnswers(id)
        try await losingAnswers(id)
        try provider.rename("new.txt", "theirs.txt")
        if isStartedAnew {
            try storage.reopen()
            _ = try storage.store.reconcile()
        }
        try await send(id)
        #expect(provider.names.count == 1)
        #expect(provider.contents == ["first"])
        #expect(try storage.indexed("i1").state == .materialised)
    }

    /// Nobody heard that a document was made, others have renamed it, and it was edited here.
    private func editedAfterLostAnswer() async throws -> ItemIdentifier {
        let id = try newDocument("first")
        try await losingAnswers(id)
        try provider.rename("new.txt", "theirs.txt")
        try storage.edit(id.rawValue, "second, longer")
        return id
    }

    @Test("RS-5: so it is when it was edited since: what was made is changed then, whichever of the two it has")
    func editedCreation() async throws {
        let id = try await editedAfterLostAnswer()
        try await send(id)
        #expect(try storage.indexed("i1").state == .changed)
        #expect(provider.contents == ["first"])
        try await send(ItemIdentifier("i1"))
        #expect(provider.contents == ["second, longer"])
        #expect(try storage.indexed("i1").state == .materialised)
        #expect(try conflicts() == 0)
    }

    @Test("RS-5: contents that are damaged on their way, as what was made is looked at, leave it the one that was made")
    func damagedWhenLookedAt() async throws {
        let id = try await editedAfterLostAnswer()
        provider.state.withLock { $0.damages = true }
        await #expect(throws: DocumentError.self) { try await send(id) }
        try await send(id)
        #expect(provider.names.count == 1)
        #expect(provider.contents == ["first"])
        #expect(try storage.indexed("i1").state == .changed)
    }

    @Test("VER-15: what has a new document's name is looked at before that is made beside it, however late")
    func listedLater() async throws {
        _ = try provider.make("new.txt", "first")
        let id = try newDocument("first")
        provider.state.withLock { $0.isUnlistable = true }
        await #expect(throws: DocumentError.self) { try await send(id) }
        try await send(id)
        #expect(provider.contents == ["first"])
        #expect(try storage.indexed("i1").state == .materialised)
    }

    @Test("RS-5: when it is made with what was edited since, because nothing had come of the first ones, all is sent")
    func madeAfterEdit() async throws {
        let id = try newDocument("first")
        provider.state.withLock { $0.refusal = .serverUnreachable }
        await #expect(throws: DocumentError.self) { try await send(id) }
        provider.state.withLock { $0.refusal = nil }
        try storage.edit(id.rawValue, "second, longer")
        try await losingAnswers(id)
        try await send(id)
        #expect(provider.contents == ["second, longer"])
        #expect(try storage.indexed("i1").state == .materialised)
    }

    @Test("RS-5, VER-2: what others wrote into it meanwhile is a conflict with an edit that does not know of it")
    func editedOnBothSides() async throws {
        let id = try newDocument("first")
        try await losingAnswers(id)
        try storage.edit(id.rawValue, "second, longer")
        _ = try provider.change(ItemIdentifier("i1"), "theirs")
        try await send(id)
        await #expect(throws: DocumentError.self) { try await send(ItemIdentifier("i1")) }
        #expect(try storage.indexed("i1").state == .conflict)
        #expect(provider.contents == ["theirs"])
    }

    @Test("RS-5: a new document that was renamed here since is the one that was made, and gets its new name there")
    func renamedCreation() async throws {
        let id = try newDocument("first")
        try await losingAnswers(id)
        _ = try storage.store.moveArriving(storage.indexed(id.rawValue), to: .root, name: ItemName("renamed.txt"))
        try await send(id)
        #expect(provider.contents == ["first"])
        let made = try storage.indexed("i1")
        #expect(made.item.name?.rawValue == "renamed.txt" && made.state == .materialised)
        let entries = try storage.index.read { try $0.journal(of: made.id, in: storage.domain) }
        #expect(entries.map(\.action) == [.relocate])
        #expect(entries.first?.payload.name?.rawValue == "renamed.txt")
    }

    @Test("RS-5: the name beside a taken one is asked for again, also when the other one is free by then")
    func beside() async throws {
        _ = try provider.make("new.txt", "other")
        let id = try newDocument("first")
        try await losingAnswers(id)
        #expect(provider.contents == ["other", "first"])
        try provider.rename("new.txt", "theirs.txt")
        try await send(id)
        #expect(provider.contents == ["other", "first"])
        #expect(try storage.indexed("i2").item.name?.rawValue.hasPrefix("new (conflict ") == true)
    }

    @Test(
        "RS-5: what was made, and was told of and brought before that was answered for, is the document that was made here",
        arguments: [false, true])
    func broughtBeforeAnswer(isPinned: Bool) async throws {
        _ = try provider.make("new.txt", "other")
        let id = try newDocument("first")
        try await losingAnswers(id)
        let made = try #require(provider.state.withLock { $0.documents.last?.item })
        try storage.tell(made)
        try storage.provide(made, "first")
        if isPinned { try storage.index.write { try $0.setKeeping(.pinned, of: .root, in: storage.domain) } }
        try await send(id)
        #expect(provider.names.count == 1)
        #expect(provider.contents == ["other", "first"])
        let name = try #require(made.name?.rawValue)
        #expect(try storage.indexed("i2").state == .materialised)
        #expect(try storage.document(name) == "first")
        #expect(try storage.document("new.txt") == nil)
    }

    @Test(
        "RS-5, CONT-12: where its news came before the answer, whoever waits for the name in those has it when that is recorded, and nothing removes it"
    )
    func freedName() throws {
        let sending = try storage.store.beginSending(try newDocument("first"), in: storage.domain)
        let other = try storage.item("x", "x.txt", contents: "other")
        try storage.tell(storage.item("made", "elsewhere.txt", contents: "first"), other)
        try storage.provide(other, "other")
        try storage.tell(storage.item("x", "elsewhere.txt", contents: "other"))
        #expect(try storage.document("x.txt") == "other")
        _ = try storage.store.finish(sending, asNew: storage.item("made", "new.txt", contents: "first"))
        #expect(try storage.document("new.txt") == "first")
        #expect(try storage.document("elsewhere.txt") == "other")
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }
}
