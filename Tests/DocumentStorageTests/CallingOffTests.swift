import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

/// Documents that are removed or moved here while they are sent or brought, which nobody waits for.
struct CallingOffTests {
    private let storage: StorageFixture
    private let document: Item
    private let newer: Item

    init() throws {
        storage = try StorageFixture()
        document = try storage.item("a", "a.txt", contents: "old")
        newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(document, storage.item("f", "Folder", kind: .folder))
        try storage.list(.root, document, storage.item("f", "Folder", kind: .folder))
        try storage.list(ItemIdentifier("f"))
        try storage.provide(document, "old")
    }

    private func beginSending() throws -> Sending {
        try storage.edit("a", "newer")
        return try storage.store.beginSending(document.id, in: storage.domain)
    }

    /// A document that was made here, just on its way.
    private func beginMaking() throws -> Sending {
        let made = try storage.store.makeDocument(named: ItemName("new.txt"), in: .root, of: storage.domain)
        try storage.write("newer", to: storage.tree.path(of: storage.location("new.txt")))
        _ = try storage.store.recordChange(made.change)
        return try storage.store.beginSending(made.item.id, in: storage.domain)
    }

    private func drop(_ sending: Sending) throws -> JournalEntry {
        try #require(
            try storage.store.drop(sending.item.id, in: storage.domain, discardingEdits: true, isUnderWay: true))
    }

    private func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    private func open(_ entry: JournalEntry) throws -> JournalEntry? { try storage.index.read { try $0.open(entry) } }

    private func staged(_ text: String) throws -> StagedFile {
        let request = try storage.root.staging.makeRequest(.fetching(storage.domain))
        let file = try request.makeFile()
        try storage.write(text, to: file.path)
        let stamp = ItemStamp(
            domain: storage.domain, id: document.id, contentVersion: [2], size: 0, modified: .zero)
        return try request.verify(file, size: nil, sha256: nil, stamp: stamp)
    }

    @Test(
        "VER-15: a document that is removed while it is sent goes at once; its answer says which version is to be removed"
    )
    func answered() throws {
        let sending = try beginSending()
        let entry = try drop(sending)
        #expect(entry.payload.calledOff == sending.operation)
        #expect(entry.payload.base?.content == document.version.content)
        #expect(try item(at: "a.txt") == nil && storage.document("a.txt") == nil)
        #expect(try storage.store.isCalledOffForTest(sending))
        _ = try storage.store.finish(sending, as: newer)
        let settled = try #require(try open(entry))
        #expect(settled.payload.calledOff == nil && settled.payload.staging == nil)
        #expect(settled.payload.base == newer.version)
        #expect(try item(at: "a.txt") == nil && storage.document("a.txt") == nil)
        #expect(try storage.root.staging.request(named: #require(sending.entry.payload.staging)) == nil)
        try storage.store.finishDropping(settled)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
        try storage.reopen()
        #expect(try storage.store.reconcile().findings.isEmpty)
    }

    @Test(
        "VER-15: one whose sending fails is removed in the version that it had; where nobody knows, its contents tell")
    func abandoned() throws {
        let sending = try beginSending()
        let entry = try drop(sending)
        try storage.store.abandon(sending, because: nil, .open)
        #expect(try open(entry) == entry)
        #expect(try storage.store.areCalledOff(staged("newer"), by: entry))
        #expect(try !storage.store.areCalledOff(staged("other"), by: entry))
        // Also for the next host, and when the machine was started anew.
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.pending == [entry])
        #expect(try storage.store.areCalledOff(staged("newer"), by: entry))
        var later = entry
        later.payload.boot = "another one"
        #expect(try storage.store.areCalledOff(staged("newer"), by: later))
        #expect(try !storage.store.areCalledOff(staged("other"), by: later))
        try storage.store.settle(entry, as: nil)
        #expect(try open(entry)?.payload.base?.content == document.version.content)
        #expect(try open(entry)?.payload.calledOff == nil)
        #expect(try storage.root.staging.request(named: #require(entry.payload.staging)) == nil)
    }

    @Test("What its provider has not done is not asked for", arguments: [SendingOutcome.undone, .refused])
    func undone(_ outcome: SendingOutcome) throws {
        let sending = try beginSending()
        let entry = try drop(sending)
        try storage.store.abandon(sending, because: nil, outcome)
        #expect(try open(entry)?.payload.calledOff == nil)
        #expect(try open(entry)?.payload.base?.content == document.version.content)
    }

    @Test(
        "CONT-7: a new document that is removed while it is made there is removed there, also when it was told of before"
    )
    func made() throws {
        for isToldBefore in [false, true] {
            let sending = try beginMaking()
            let entry = try drop(sending)
            #expect(entry.itemID?.isArriving == true && entry.payload.isMaking)
            #expect(try item(at: "new.txt") == nil && storage.document("new.txt") == nil)
            let there = try storage.item("n\(isToldBefore)", "new.txt", contents: "newer")
            if isToldBefore { try storage.tell(there) }
            _ = try storage.store.finish(sending, asNew: there)
            #expect(try item(at: "new.txt") == nil)
            #expect(try open(entry)?.itemID == there.id)
            #expect(try open(entry)?.payload.base == there.version)
            // Until its provider has heard, it does not come back.
            try storage.tell(there)
            #expect(try item(at: "new.txt") == nil)
            try storage.store.finishDropping(#require(try open(entry)))
        }
    }

    @Test("What was sent before, and not answered for, is known when it is removed later")
    func outstanding() throws {
        let sending = try beginSending()
        try storage.store.abandon(sending, because: nil, .open)
        #expect(try storage.indexed("a").state == .changed)
        let entry = try #require(try storage.store.drop(document.id, in: storage.domain, discardingEdits: true))
        #expect(entry.payload.calledOff == sending.operation)
        #expect(try storage.store.areCalledOff(staged("newer"), by: entry))
    }

    @Test("Killed in the moment in which it is removed, it is gone, and its provider is asked what it has")
    func killed() throws {
        for isNew in [false, true] {
            let sending = try isNew ? beginMaking() : beginSending()
            storage.observe(StopAt(.itemDropped))
            #expect(throws: StoppedByObserver.self) { try drop(sending) }
            try storage.reopen()
            let report = try storage.store.reconcile()
            #expect(report.pending.map(\.payload.calledOff) == [sending.operation])
            let place = isNew ? "new.txt" : "a.txt"
            #expect(try item(at: place) == nil && storage.document(place) == nil)
            #expect(report.unknownFiles.isEmpty)
            for entry in report.pending { try storage.store.finishDropping(entry) }
        }
    }

    @Test("CONT-7: what is moved while it is sent stays where it was put, and its provider is to hear of that")
    func moved() throws {
        let sending = try beginSending()
        let folder = try ItemIdentifier("f")
        let entry = try storage.store.relocate(
            document.id, in: storage.domain, from: storage.location("a.txt"), to: folder, name: ItemName("b.txt"))
        #expect(entry != nil)
        #expect(try storage.document("Folder/b.txt") == "newer")
        #expect(try storage.store.finish(sending, as: newer).state == .materialised)
        #expect(try item(at: "Folder/b.txt")?.id == document.id)
        #expect(try storage.document("Folder/b.txt") == "newer")
        #expect(try storage.index.read { try $0.relocations(in: storage.domain) }.count == 1)
    }

    @Test("CONT-7: so does a new one, wherever it was made")
    func movedNew() throws {
        let sending = try beginMaking()
        let folder = try ItemIdentifier("f")
        let moved = try #require(
            try storage.store.moveSending(sending.item, to: folder, name: ItemName("b.txt")))
        #expect(moved.isArriving)
        #expect(try storage.document("Folder/b.txt") == "newer")
        let there = try storage.item("n", "new.txt", contents: "newer")
        #expect(try storage.store.finish(sending, asNew: there).state == .materialised)
        #expect(try item(at: "Folder/b.txt")?.id == there.id)
        let entry = try #require(try storage.index.read { try $0.relocations(in: storage.domain) }.first)
        #expect(entry.itemID == there.id && entry.payload.parentID == folder)
        // Its provider knows it: it is not moved so any more.
        #expect(try storage.store.moveSending(sending.item, to: .root, name: ItemName("c.txt")) == nil)
    }

    @Test(
        "PH-8: what is removed or moved while it is brought goes, and what comes is nobody's, or goes to its new place")
    func brought() throws {
        let other = try storage.item("b", "b.txt", contents: "far away")
        try storage.tell(other)
        let coming = try storage.store.beginMaterialising(other.id, in: storage.domain)
        try storage.write("far away", to: coming.file.path)
        _ = try #require(
            try storage.store.relocate(
                other.id, in: storage.domain, from: storage.location("b.txt"), to: ItemIdentifier("f"),
                name: ItemName("c.txt")))
        #expect(try storage.store.finish(coming, as: other).state == .materialised)
        #expect(try storage.document("Folder/c.txt") == "far away" && storage.document("b.txt") == nil)

        let third = try storage.item("c", "d.txt", contents: "far away")
        try storage.tell(third)
        let next = try storage.store.beginMaterialising(third.id, in: storage.domain)
        try storage.write("far away", to: next.file.path)
        let entry = try storage.store.drop(third.id, in: storage.domain, discardingEdits: true, isUnderWay: true)
        #expect(entry?.payload.calledOff == nil && entry != nil)
        #expect(try item(at: "d.txt") == nil)
        let error = #expect(throws: DocumentError.self) { try storage.store.finish(next, as: third) }
        #expect(error?.code == .noSuchItem)
        try storage.store.abandon(next, because: nil)
        #expect(try storage.document("d.txt") == nil && storage.placeholder("d.txt") == nil)
        try storage.reopen()
        #expect(try storage.store.reconcile().unknownFiles.isEmpty)
    }

    @Test("What is neither sent nor brought is not taken for that")
    func notUnderWay() throws {
        #expect(
            try storage.store.drop(document.id, in: storage.domain, discardingEdits: true, isUnderWay: true) == nil)
        #expect(try storage.document("a.txt") == "old")
    }
}

extension DocumentStore {
    fileprivate func isCalledOffForTest(_ sending: Sending) throws -> Bool {
        try index.read { try $0.isCalledOff(sending) }
    }
}
