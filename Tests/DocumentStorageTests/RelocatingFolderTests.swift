import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Folders that get another place here at once, with all that is in them, and at the provider later.
struct RelocatingFolderTests {
    private let storage: StorageFixture
    private let folder: Item
    private let document: Item
    private let inner: Item
    private let other: Item

    init() throws {
        storage = try StorageFixture()
        folder = try storage.item("F", "F", kind: .folder)
        other = try storage.item("o", "other", kind: .folder)
        inner = try storage.item("F/sub", "sub", in: "F", kind: .folder)
        document = try storage.item("F/a.txt", "a.txt", in: "F", contents: "text")
        let deep = try storage.item("F/sub/b.txt", "b.txt", in: "F/sub", contents: "deep")
        try storage.list(.root, folder, other)
        try storage.list(folder.id, inner, document)
        try storage.list(inner.id, deep)
        try storage.list(other.id)
        for (item, text) in [(document, "text"), (deep, "deep")] { try storage.provide(item, text) }
    }

    private func relocate(
        _ id: ItemIdentifier, to parent: ItemIdentifier = .root, as name: String
    ) throws -> JournalEntry {
        let place = try #require(try storage.index.read { try $0.location(of: id, in: storage.domain) })
        return try #require(
            try storage.store.relocate(id, in: storage.domain, from: place, to: parent, name: ItemName(name)))
    }

    private func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    @Test(
        "What is flushed is flushed also when a folder around it is moved in the middle of that", arguments: 0...1,
        [false, true])
    func flushedMeanwhile(_ passing: Int, isNew: Bool) throws {
        let change =
            isNew
            ? try storage.store.makeDocument(named: ItemName("n.txt"), in: inner.id, of: storage.domain).change
            : try storage.store.expectChange(of: document.id, in: storage.domain)
        let (plan, store, folder, other) = (FaultPlan(), storage.store, folder.id, other.id)
        let (place, name) = (try storage.location("F"), try ItemName("G"))
        plan.before(.flush, passing: passing) {
            _ = try? store.relocate(folder, in: place.domain, from: place, to: other, name: name)
        }
        try FaultPlan.$current.withValue(plan) { try storage.store.flushChange(change) }
        #expect(try item(at: "other/G") != nil)
    }

    @Test("A folder is moved with all below it, at once, and the journal says from where, and which version of it")
    func moved() throws {
        let entry = try relocate(folder.id, to: other.id, as: "G")
        #expect(try storage.document("other/G/a.txt") == "text" && storage.document("other/G/sub/b.txt") == "deep")
        #expect(try item(at: "F") == nil && storage.document("F/a.txt") == nil)
        #expect(try item(at: "other/G/sub/b.txt")?.state == .materialised)
        #expect(entry.payload.kind == .folder && entry.payload.base == folder.version)
        #expect(entry.payload.originID == .root && entry.payload.parentID == other.id)
        #expect(try storage.index.read { try $0.journal() } == [entry], "nothing else is left to be done")
    }

    @Test(
        "Until the provider has heard, what it tells of the folder's place does not count; of what is in it, all does")
    func told() throws {
        let entry = try relocate(folder.id, as: "G")
        let newer = try storage.item("F/a.txt", "c.txt", in: "F", contents: "newer", version: "2")
        try storage.tell(folder, newer, storage.item("n", "new.txt", in: "F", contents: "new"))
        try storage.list(.root, folder, other)
        #expect(try item(at: "F") == nil)
        #expect(try item(at: "G/c.txt")?.state == .outdated && storage.document("G/c.txt") == "text")
        #expect(try item(at: "G/new.txt") != nil)
        // It was moved elsewhere there.
        let there = try storage.item("F", "H", in: "o", kind: .folder, version: "3")
        try storage.store.finishRelocating(entry, as: there, since: nil)
        #expect(try storage.document("other/H/c.txt") == "text" && storage.document("other/H/sub/b.txt") == "deep")
        #expect(try item(at: "G") == nil && storage.index.read { try $0.journal() } == [])
    }

    @Test("What the provider was asked before it heard, and has answered by then, does not take it back")
    func answeredLate() throws {
        let entry = try relocate(folder.id, to: other.id, as: "G")
        let question = storage.store.questions.begin(of: storage.domain)
        let around = try storage.store.beginListing(of: other.id, in: storage.domain)
        let there = try storage.item("F", "G", in: "o", kind: .folder, version: "2")
        try storage.store.finishRelocating(entry, as: there, since: nil)
        let outcome = try storage.store.apply(
            ItemChanges(updated: [folder], deleted: [], anchor: try SyncAnchor([9]), more: false), in: storage.domain,
            answering: question)
        #expect(outcome.leftOut == [folder.id])
        _ = try storage.store.apply(
            ItemPage(items: []), of: other.id, in: storage.domain, generation: around, answering: question)
        #expect(try item(at: "F") == nil && storage.document("other/G/a.txt") == "text")
        #expect(try item(at: "other/G/sub/b.txt")?.state == .materialised)
    }

    @Test("A folder does not come into itself, nor into what is in it; nor where a name is taken")
    func refused() throws {
        for parent in [folder.id, inner.id] {
            let error = #expect(throws: DocumentError.self) { try relocate(folder.id, to: parent, as: "x") }
            #expect(error?.code == .invalidArgument)
        }
        #expect(throws: DocumentError.self) { try relocate(folder.id, as: "OTHER") }
        #expect(try storage.document("F/sub/b.txt") == "deep")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test(
        "ID-4: where identifiers follow names, all below is the same items here, with what was written and removed in it"
    )
    func otherIdentifiers() throws {
        let entry = try relocate(folder.id, as: "G")
        try storage.edit("F/a.txt", "changed")
        let dropped = try #require(
            try storage.store.drop(ItemIdentifier("F/sub/b.txt"), in: storage.domain, discardingEdits: false))
        let out = try relocate(inner.id, to: other.id, as: "sub")
        // The feed may be quicker than the answer.
        let there = try storage.item("G", "G", kind: .folder, version: "2")
        try storage.tell(there)
        try storage.store.finishRelocating(entry, as: there, since: nil)
        #expect(try item(at: "G")?.id == there.id)
        #expect(try item(at: "G/a.txt")?.id == ItemIdentifier("G/a.txt"))
        #expect(try item(at: "G/a.txt")?.state == .changed && storage.document("G/a.txt") == "changed")
        #expect(try item(at: "other/sub")?.id == ItemIdentifier("G/sub"))
        let open = try storage.index.read { try [$0.open(dropped), $0.open(out)] }
        #expect(try open.map(\.?.itemID) == [ItemIdentifier("G/sub/b.txt"), ItemIdentifier("G/sub")])
        #expect(open.map(\.?.payload.originID) == [nil, there.id])
    }

    @Test(
        "ID-4: an identifier that another folder with contents has come to bear is taken, and one that was only told of is not"
    )
    func takenIdentifier() throws {
        let entry = try relocate(inner.id, as: "G")
        let moved = try #require(try item(at: "G"))
        let told = try storage.item("G", "G2", kind: .folder)
        try storage.tell(told)
        #expect(try storage.index.read { try !$0.isTaken(told.id, besides: moved) })
        #expect(try storage.index.read { try !$0.isTaken(moved.id, besides: moved) })
        #expect(try storage.index.read { try $0.isTaken(folder.id, besides: moved) })
        #expect(try storage.index.read { try $0.isTaken(document.id, besides: moved) })
        // What its provider has answered so does not make two of them one, and does not keep others waiting either.
        var there = moved.item
        there.id = folder.id
        #expect(throws: DocumentError.self) { try storage.store.finishRelocating(entry, as: there, since: moved) }
        try storage.store.finishRelocating(entry, as: nil, since: nil)
        #expect(try storage.document("G/b.txt") == "deep" && storage.document("F/a.txt") == "text")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test("VER-15: a folder that is gone there when it is to be moved goes from here, but for what was changed in it")
    func goneThere() throws {
        let entry = try relocate(folder.id, as: "G")
        try storage.edit("F/a.txt", "changed")
        try storage.store.finishRelocating(entry, as: nil, since: nil)
        try storage.store.recordGone(folder.id, in: storage.domain)
        #expect(try storage.document("G/a.txt") == "changed" && storage.document("G/sub/b.txt") == nil)
        #expect(try item(at: "G/a.txt")?.state == .changed, "it makes its folder anew, under the name that it has here")
    }

    @Test(
        "What was moved into a folder that is removed there is where it was again, with its contents and what is new in it"
    )
    func containerGone() throws {
        _ = try relocate(folder.id, to: other.id, as: "G")
        let made = try storage.store.makeFolder(named: ItemName("made"), in: folder.id, of: storage.domain)
        _ = try storage.index.write { try $0.delete([other.id], in: storage.domain) }
        try storage.store.performOpenWork()
        #expect(try storage.document("F/a.txt") == "text" && storage.document("F/sub/b.txt") == "deep")
        #expect(try item(at: "F/a.txt")?.state == .materialised && item(at: "F/made")?.id == made.id)
        #expect(try item(at: "other") == nil)
    }

    @Test("CONT-13: so much may be gone with a folder that somebody is asked: it stays until then")
    func held() throws {
        let entry = try relocate(folder.id, as: "G")
        try storage.store.finishRelocating(entry, as: nil, since: nil)
        try storage.store.recordGone(folder.id, in: storage.domain, holding: true)
        #expect(try storage.document("G/sub/b.txt") == "deep")
        #expect(
            try storage.index.read { try $0.heldRemovals(of: .told, in: storage.domain) }.map(\.item.id) == [folder.id])
    }

    @Test("A folder that is just being made there may be moved here: its provider hears of that when it knows it")
    func beingMade() throws {
        let made = try storage.store.makeFolder(named: ItemName("made"), in: .root, of: storage.domain)
        let entry = try relocate(made.id, to: other.id, as: "moved")
        let within = try relocate(document.id, to: made.id, as: "a.txt")
        #expect(within.payload.follows == [entry.id])
        let known = try storage.item("k", "made", kind: .folder)
        try storage.store.revive(made.id, as: known, in: storage.domain)
        #expect(try item(at: "other/moved")?.id == known.id && storage.document("other/moved/a.txt") == "text")
        #expect(try storage.index.read { try $0.open(entry) }?.itemID == known.id)
        #expect(try storage.index.read { try $0.open(within) }?.payload.parentID == known.id)
        try storage.store.finishRelocating(
            entry, as: storage.item("k", "moved", in: "o", kind: .folder, version: "2"), since: nil)
        #expect(try storage.document("other/moved/a.txt") == "text")
    }

    @Test(
        "A folder that turns out to have been made there under an earlier name keeps its own here, and its provider hears of it"
    )
    func madeBefore() throws {
        let made = try storage.store.makeFolder(named: ItemName("made"), in: .root, of: storage.domain)
        _ = try storage.store.moveArriving(made, to: other.id, name: ItemName("moved"))
        try storage.store.revive(made.id, as: storage.item("k", "made", kind: .folder), in: storage.domain)
        #expect(try item(at: "other/moved")?.id == ItemIdentifier("k") && item(at: "made") == nil)
        let entry = try #require(try storage.index.read { try $0.relocations(in: storage.domain) }.first)
        #expect(try entry.itemID == ItemIdentifier("k") && entry.payload.parentID == other.id)
        #expect(try entry.payload.originID == .root && entry.payload.place == [ItemName("made")])
    }

    @Test(
        "A host that dies over the move of a folder has it at its new place at the next start, and its provider to be told",
        arguments: [JournalStep.documentRelocated, .renameMoved, .renameFinished])
    func crash(at step: JournalStep) throws {
        try storage.edit("F/a.txt", "changed")
        storage.observe(StopAt(step))
        #expect(throws: StoppedByObserver.self) { try relocate(folder.id, to: other.id, as: "G") }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.pending.map(\.action) == [.relocate] && report.unknownFiles == [] && report.missing == 0)
        #expect(try storage.document("other/G/a.txt") == "changed" && storage.document("other/G/sub/b.txt") == "deep")
        try storage.tell(folder)
        #expect(try item(at: "other/G/a.txt")?.state == .changed && item(at: "F") == nil)
    }
}
