import DocumentModel
import DocumentTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// The index knows of a move at once; the tree follows when nobody uses the item. In between, everything finds the
/// file where it is.
struct DeferredWorkTests {
    private final class Flag: Sendable {
        private let state = Mutex(false)

        var isSet: Bool { state.withLock { $0 } }

        func set() { state.withLock { $0 = true } }
    }

    private func prepared() throws -> StorageFixture {
        let storage = try StorageFixture()
        try storage.tell(storage.item("f", "F", kind: .folder))
        for (id, parent) in [("a", "f"), ("b", "/")] {
            let item = try storage.item(id, "\(id).txt", in: parent, contents: "contents of \(id)")
            try storage.tell(item)
            try storage.provide(item, "contents of \(id)")
        }
        return storage
    }

    private func tellLater(_ storage: StorageFixture, _ items: Item..., deleted: [String] = []) throws -> [JournalEntry]
    {
        let changes = ItemChanges(
            updated: items, deleted: try deleted.map { try ItemIdentifier($0) }, anchor: try SyncAnchor([1]))
        return try storage.store.apply(changes, in: storage.domain, leavingWork: true).work
    }

    @Test("An edit that is under way while its folder is renamed at the provider is recorded, and moves along later")
    func editDuringRename() throws {
        let storage = try prepared()
        let id = try ItemIdentifier("a")
        let write = try storage.store.expectChange(of: id, in: storage.domain)
        let work = try tellLater(
            storage, storage.item("f", "G", kind: .folder),
            storage.item("a", "z.txt", in: "f", contents: "contents of a"))
        #expect(work.count == 2)
        try storage.index.read { index throws -> Void in
            #expect(try index.location(of: id, in: storage.domain)?.description == "work:/G/z.txt")
            #expect(try index.diskLocation(of: id, in: storage.domain)?.description == "work:/F/a.txt")
        }
        try storage.write("edited", to: storage.tree.path(of: storage.location("F/a.txt")))
        #expect(try storage.store.recordChange(write).state == .changed)

        for entry in work { try storage.store.perform(entry) }
        #expect(try storage.document("G/z.txt") == "edited")
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.store.recordChange(of: id, in: storage.domain).state == .changed)
    }

    @Test("Moves that wait for each other may be carried out in another order", arguments: [[0, 1], [1, 0]])
    func otherOrder(order: [Int]) throws {
        let storage = try prepared()
        let work = try tellLater(
            storage, storage.item("f", "G", kind: .folder),
            storage.item("b", "b.txt", in: "f", contents: "contents of b"))
        for index in order { try storage.store.perform(work[index]) }
        #expect(try storage.document("G/a.txt") == "contents of a")
        #expect(try storage.document("G/b.txt") == "contents of b")
        #expect(try storage.indexed("b").state == .materialised)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test(
        "A move to a name that is still to be left waits in the journal, and is carried out at the latest at the start")
    func nameStillTaken() throws {
        let storage = try prepared()
        let work = try tellLater(
            storage, storage.item("a", "c.txt", in: "f", contents: "contents of a"),
            storage.item("b", "a.txt", in: "f", contents: "contents of b"))
        let error = #expect(throws: DocumentError.self) { try storage.store.perform(work[1]) }
        #expect(error?.code == .destinationExists)
        #expect(
            try storage.index.read { try $0.diskLocation(of: ItemIdentifier("b"), in: storage.domain) }?.description
                == "work:/b.txt")
        #expect(try storage.edit("b", "edited").state == .changed)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("F/c.txt") == "contents of a")
        #expect(try storage.document("F/a.txt") == "edited")
        #expect(try storage.indexed("b").state == .changed)
    }

    @Test("A folder is not moved before what is to leave it has left: an edit in it goes where its item goes")
    func leavesFirst() throws {
        let storage = try prepared()
        let id = try ItemIdentifier("a")
        let write = try storage.store.expectChange(of: id, in: storage.domain)
        let leaving = try tellLater(storage, storage.item("a", "a.txt", contents: "contents of a"))
        let renaming = try tellLater(storage, storage.item("f", "G", kind: .folder))
        let error = #expect(throws: DocumentError.self) { try storage.store.perform(renaming[0]) }
        #expect(error?.code == .busy)
        try storage.write("edited", to: storage.tree.path(of: storage.location("F/a.txt")))
        #expect(try storage.store.recordChange(write).state == .changed)
        for entry in leaving + renaming { try storage.store.perform(entry) }
        #expect(try storage.document("a.txt") == "edited")
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.document("G/a.txt") == nil)
        #expect(try storage.document("F/a.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A folder renamed here that something is still to leave is handed over to whoever waits for that")
    func leavesFirstHere() throws {
        let storage = try prepared()
        let leaving = try tellLater(storage, storage.item("a", "a.txt", contents: "contents of a"))
        let handedOver = Mutex<[JournalEntry]>([])
        storage.store.follower.handOver { work in handedOver.withLock { $0 += work } }
        let change = try storage.store.beginRenaming(
            ItemIdentifier("f"), in: storage.domain, to: .root, name: ItemName("G"))
        _ = try storage.store.finish(change, as: storage.item("f", "G", kind: .folder))
        try storage.index.read { index throws -> Void in
            #expect(try index.diskLocation(of: ItemIdentifier("f"), in: storage.domain)?.description == "work:/F")
        }
        for entry in leaving + handedOver.withLock({ $0 }) { try storage.store.perform(entry) }
        #expect(try storage.document("a.txt") == "contents of a")
        try storage.index.read { index throws -> Void in
            #expect(try index.diskLocation(of: ItemIdentifier("f"), in: storage.domain)?.description == "work:/G")
            #expect(try index.journal().isEmpty)
        }
    }

    @Test(
        "What an answer says of a document's place is followed when nobody writes it any more, where somebody waits for that"
    )
    func answerWithAnotherName() throws {
        let storage = try prepared()
        let id = try ItemIdentifier("b")
        try storage.edit("b", "first edit")
        let sending = try storage.store.beginSending(id, in: storage.domain)
        let write = try storage.store.expectChange(of: id, in: storage.domain)
        let handedOver = Mutex<[JournalEntry]>([])
        storage.store.follower.handOver { work in handedOver.withLock { $0 += work } }
        _ = try storage.store.finish(
            sending, as: storage.item("b", "called otherwise.txt", contents: "first edit", version: "2"))
        #expect(try storage.document("b.txt") == "first edit", "somebody has it open there")
        // As editors save: by renaming a new file over it.
        try storage.save("second edit", to: storage.tree.path(of: storage.location("b.txt")))
        #expect(try storage.store.recordChange(write).state == .changed)
        for entry in handedOver.withLock({ $0 }) { try storage.store.perform(entry) }
        #expect(try storage.document("called otherwise.txt") == "second edit")
        #expect(try storage.document("b.txt") == nil)
        #expect(try storage.indexed("b").state == .changed)
    }

    @Test("Contents that come while a move waits go where the tree still has the item")
    func materialiseDuringRename() throws {
        let storage = try prepared()
        let item = try storage.item("n", "n.txt", in: "f", contents: "new")
        try storage.tell(item)
        let work = try tellLater(storage, storage.item("f", "G", kind: .folder))
        try storage.provide(item, "new")
        #expect(try storage.document("F/n.txt") == "new")
        for entry in work { try storage.store.perform(entry) }
        #expect(try storage.document("G/n.txt") == "new")
        #expect(try storage.indexed("n").state == .materialised)
    }

    @Test("A removal that waits finds the contents after their folder was renamed")
    func removalAfterRename() throws {
        let storage = try prepared()
        let removal = try tellLater(storage, deleted: ["a"])
        #expect(try storage.indexed("a").isGone)
        let rename = try tellLater(storage, storage.item("f", "G", kind: .folder))
        for entry in rename + removal { try storage.store.perform(entry) }
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
        #expect(try storage.document("G/a.txt") == nil)
        #expect(try storage.document("F/a.txt") == nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test(
        "What its provider tells of a rename before it has answered is carried out with the answer, which waits for nobody"
    )
    func toldBeforeAnswered() throws {
        let storage = try prepared()
        let folder = try ItemIdentifier("f")
        let change = try storage.store.beginRenaming(
            folder, in: storage.domain, to: .root, name: try ItemName("G"))
        let told = try storage.item("f", "G", kind: .folder)
        #expect(try tellLater(storage, told).count == 1)
        _ = try storage.store.finish(change, as: told)
        #expect(try storage.document("G/a.txt") == "contents of a")
        // The name is free at once.
        _ = try storage.store.makeDocument(named: try ItemName("F"), in: .root, of: storage.domain)
        #expect(try storage.document("F") == "")
    }

    @Test("The same of a removal")
    func removalToldBeforeAnswered() throws {
        let storage = try prepared()
        let change = try storage.store.beginRemoving(try ItemIdentifier("b"), in: storage.domain)
        #expect(try tellLater(storage, deleted: ["b"]).count == 1)
        try storage.store.finishRemoving(change)
        let made = try storage.store.makeDocument(named: try ItemName("b.txt"), in: .root, of: storage.domain)
        #expect(try storage.document("b.txt") == "")
        _ = try storage.store.recordChange(made.change)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("What is removed with its edits is gone with those that nobody has looked at yet")
    func removalOfUnseenEdits() throws {
        let storage = try prepared()
        #expect(try storage.edit("b", "edited").state == .changed)
        try storage.write("edited once more", to: storage.tree.path(of: storage.location("b.txt")))
        let id = try ItemIdentifier("b")
        let change = try storage.store.beginRemoving(id, in: storage.domain, discardingEdits: true)
        try storage.store.finishRemoving(change)
        #expect(try storage.document("b.txt") == nil)
        #expect(try storage.index.read { try $0.item(id, in: storage.domain) } == nil)
    }

    @Test("An edit is not taken for a removed file while a folder around it is on the move")
    func lookDuringMove() async throws {
        let storage = try prepared()
        let id = try ItemIdentifier("a")
        let write = try storage.store.expectChange(of: id, in: storage.domain)
        try storage.write("edited", to: storage.tree.path(of: storage.location("F/a.txt")))
        let work = try tellLater(storage, storage.item("f", "G", kind: .folder))
        let (isMoving, hasLooked) = (Flag(), Flag())
        storage.observe(
            Meanwhile(at: .renameMoved) {
                isMoving.set()
                let limit = ContinuousClock.now + .milliseconds(200)
                while !hasLooked.isSet, ContinuousClock.now < limit {}
            })
        let store = storage.store
        async let looked = Task.detached {
            while !isMoving.isSet {}
            defer { hasLooked.set() }
            return try store.recordChange(write)
        }.value
        for entry in work { try store.perform(entry) }
        #expect(try await looked.state == .changed)
        #expect(try storage.document("G/a.txt") == "edited")
    }

    @Test("Of an edit of what was removed meanwhile nothing stays in the journal")
    func editOfRemoved() throws {
        let storage = try StorageFixture()
        let (made, write) = try storage.store.makeDocument(named: try ItemName("n"), in: .root, of: storage.domain)
        try storage.store.dropArriving(made)
        let error = #expect(throws: DocumentError.self) { try storage.store.recordChange(write) }
        #expect(error?.code == .noSuchItem)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("What was made here and is not wanted goes with what was written to it last; unsaid, that stays")
    func discardsWhatWasWrittenLast() throws {
        let storage = try StorageFixture()
        let name = try ItemName("n")
        let (made, _) = try storage.store.makeDocument(named: name, in: .root, of: storage.domain)
        try storage.write("not recorded yet", to: storage.tree.path(of: storage.location("n")))
        let error = #expect(throws: DocumentError.self) { try storage.store.dropArriving(made) }
        #expect(error?.code == .unsyncedEdits)
        #expect(try storage.document("n") == "not recorded yet")
        try storage.store.dropArriving(made, discarding: true)
        #expect(try storage.tree.file(at: storage.location("n")) == nil)
        #expect(try storage.index.read { try $0.item(made.id, in: storage.domain) } == nil)
    }
}
