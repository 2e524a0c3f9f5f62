import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Contents that stay for a while when their documents are removed.
struct TrashTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func trash(_ choice: TrashChoice = .all) throws -> [TrashedDocument] {
        try storage.index.read { try $0.trash(choice, limit: 100) }.map(\.document)
    }

    private func contents(_ document: TrashedDocument) throws -> String? {
        try storage.read(storage.root.trash.path(of: document.id, in: storage.domain))
    }

    private func provided(_ id: String, _ name: String, in parent: String = "/", _ text: String) throws {
        let item = try storage.item(id, name, in: parent, contents: text)
        try storage.tell(item)
        try storage.provide(item, text)
    }

    private func limit(_ bytes: UInt64, days: UInt32 = 30) throws {
        try storage.index.write { try $0.setTrashLimits(TrashLimits(bytes: bytes, days: days)) }
    }

    private func removeAsked(_ id: String, discarding: Bool = false, skippingTrash: Bool = false) throws {
        let change = try storage.store.beginRemoving(
            ItemIdentifier(id), in: storage.domain, discardingEdits: discarding, skippingTrash: skippingTrash)
        try storage.store.finishRemoving(change)
    }

    private func removeTold(_ id: String) throws {
        try storage.store.recordGone(ItemIdentifier(id), in: storage.domain)
    }

    @Test(
        "VER-15, CONT-13: what is gone at its provider, and was kept for an edit, goes when somebody removes it all the same, with the edit in the trash"
    )
    func keptForEdit() throws {
        try provided("a", "a.txt", "first")
        try storage.edit("a", "edited")
        try removeTold("a")
        let kept = try storage.indexed("a")
        #expect(kept.isGone && kept.isUnsent)
        try removeAsked("a", discarding: true)
        #expect(try storage.index.read { try $0.item(ItemIdentifier("a"), in: storage.domain) } == nil)
        #expect(try storage.document("a.txt") == nil)
        #expect(try trash().map(contents) == ["edited"])
    }

    @Test("VER-15, CONT-13: it goes with its folder, too, also when somebody may be writing it")
    func keptForEditInFolder() throws {
        try storage.tell(try storage.item("f", "f", kind: .folder))
        try provided("a", "a.txt", in: "f", "first")
        try storage.edit("a", "edited")
        try removeTold("a")
        _ = try storage.store.expectChange(of: ItemIdentifier("a"), in: storage.domain)
        let change = try storage.store.beginRemoving(
            ItemIdentifier("f"), in: storage.domain, discardingEdits: true, skippingTrash: false)
        try storage.store.recordRemoved([ItemIdentifier("a")], with: change)
        #expect(try storage.index.read { try $0.item(ItemIdentifier("a"), in: storage.domain) } == nil)
        #expect(try storage.document("f/a.txt") == nil)
        #expect(try trash().map(contents) == ["edited"])
        try storage.store.finishRemoving(change)
    }

    @Test("CONT-13: contents that are here stay in the trash when their document is removed, here or at its provider")
    func kept() throws {
        try provided("a", "a.txt", "first")
        try provided("b", "b.txt", "second, longer")
        try storage.tell(storage.item("c", "c.txt", size: 9))
        storage.now = 1_700_000_100
        try removeAsked("a")
        storage.now = 1_700_000_200
        try removeTold("b")
        try removeTold("c")
        let found = try trash()
        #expect(
            found.map { "\($0.location)" } == ["work:/b.txt", "work:/a.txt"],
            "the newest first; what was not here is not there")
        #expect(found.map(\.size) == [14, 5])
        #expect(found.map(\.removed) == [1_700_000_200, 1_700_000_100])
        #expect(try found.map(contents) == ["second, longer", "first"])
        #expect(try storage.document("a.txt") == nil && storage.document("b.txt") == nil)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try trash() == found)
    }

    @Test("CONT-13: changes that nobody has sent are in the trash, too, when somebody says that they may go")
    func unsent() throws {
        try provided("a", "a.txt", "first")
        try storage.edit("a", "never sent")
        try removeAsked("a", discarding: true)
        #expect(try trash().map(contents) == ["never sent"])
    }

    @Test("CONT-13: what has a copy elsewhere does not go into the trash")
    func elsewhere() throws {
        try provided("a", "a.txt", "first")
        try removeAsked("a", skippingTrash: true)
        #expect(try trash() == [] && storage.document("a.txt") == nil)
    }

    @Test(
        "CONT-13: the oldest goes when it is too much, what is older than it may be goes, and what is too large is not kept"
    )
    func limits() throws {
        try limit(20)
        // Down to nine tenths.
        for (id, text) in [("a", "aaaaaaaaa"), ("b", "bbbbbbbbb"), ("c", "ccccccccc"), ("d", "more than twenty bytes")]
        {
            try provided(id, id + ".txt", text)
            storage.now += 10
            try removeAsked(id)
        }
        #expect(try trash().map(contents) == ["ccccccccc", "bbbbbbbbb"])
        #expect(try storage.root.trash.files(of: storage.domain).count == 2)
        let dates = try trash().map(\.removed)
        try #require(dates.count == 2)
        storage.now = dates[1] + 30 * 86_400 - 1
        try storage.store.trimTrash()
        #expect(try trash().count == 2)
        storage.now += 1
        try storage.store.trimTrash()
        #expect(try trash().map(contents) == ["ccccccccc"])
        storage.now = dates[0] + 30 * 86_400
        try storage.store.trimTrash()
        #expect(try trash() == [] && storage.root.trash.files(of: storage.domain).isEmpty)
    }

    @Test("CONT-13: with a limit of nothing, or no days, what is removed is gone", arguments: [(0, 30), (100, 0)])
    func none(bytes: UInt64, days: UInt32) throws {
        try limit(bytes, days: days)
        try provided("a", "a.txt", "first")
        try removeAsked("a")
        #expect(try trash() == [] && storage.root.trash.files(of: storage.domain).isEmpty)
    }

    @Test("CONT-13: what was at a place and below it is found, and nothing beside it")
    func places() throws {
        for (id, name) in [("f", "Folder"), ("g", "Folder-2"), ("h", "Folder0")] {
            try storage.tell(storage.item(id, name, kind: .folder))
            try provided(id + "1", "a.txt", in: id, name)
            try removeAsked(id + "1")
        }
        try provided("z", "Folder%_.txt", "z")
        try removeAsked("z")
        #expect(try trash(.below(storage.location("Folder"))).map(contents) == ["Folder"])
        #expect(try trash(.below(storage.location("Folder-2/a.txt"))).map(contents) == ["Folder-2"])
        #expect(try trash(.below(Location(domain: storage.domain))).count == 4)
        let one = try #require(try trash().first)
        #expect(try trash(.one(one.id)) == [one])
        #expect(try storage.store.emptyTrash(.below(storage.location("Folder"))) == (documents: 1, bytes: 6))
        #expect(try trash().count == 3)
        #expect { try storage.store.emptyTrash(.one("nothing")) } throws: {
            ($0 as? DocumentError)?.code == .noSuchItem
        }
        #expect(try storage.store.emptyTrash(.all, removedBefore: 0) == (documents: 0, bytes: 0))
        #expect(try storage.store.emptyTrash(.one(one.id), removedBefore: 0) == (documents: 0, bytes: 0))
        #expect(try storage.store.emptyTrash(.all).documents == 3)
        #expect(try storage.root.trash.files(of: storage.domain).isEmpty)
    }

    @Test("CONT-13: a host that is killed when contents are just in the trash finds them there")
    func killed() throws {
        try storage.tell(storage.item("f", "Folder", kind: .folder))
        try provided("a", "a b:c.txt", in: "f", "first")
        storage.observe(StopAt(.removeKept))
        #expect(throws: StoppedByObserver.self) { try removeAsked("a") }
        #expect(try trash() == [], "the index does not know yet")
        try storage.reopen()
        _ = try storage.store.reconcile()
        let found = try trash()
        #expect(found.map { "\($0.location)" } == ["work:/Folder/a b:c.txt"])
        #expect(try found.map(contents) == ["first"])
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test(
        "CONT-13: what somebody has taken out of the trash folder is forgotten, and what lies there without a label is shown"
    )
    func foreign() throws {
        try provided("a", "a.txt", "first")
        try removeAsked("a")
        let one = try #require(try trash().first)
        let folder = storage.root.trash.path(of: one.id, in: storage.domain).removingLastComponent()
        try storage.write("lost", to: folder.appending("lost"))
        try storage.root.trash.remove(one.id, in: storage.domain)
        try storage.reopen()
        _ = try storage.store.reconcile()
        let found = try trash()
        #expect(found.map(\.id) == ["lost"] && found.map { "\($0.location)" } == ["work:/lost"])
    }

    @Test("CONT-13: signing out, and removing the domain, empties its trash", arguments: [false, true])
    func domain(isSignOut: Bool) throws {
        try provided("a", "a.txt", "first")
        try removeAsked("a")
        if isSignOut {
            try storage.store.signOut(storage.domain, discardingEdits: false, forgetting: storage.root.secrets)
        } else {
            try storage.store.removeDomain(storage.domain, discardingEdits: false)
        }
        #expect(try trash() == [] && storage.root.trash.files(of: storage.domain).isEmpty)
    }

    @Test(
        "CONT-13: a document comes back as a new one, with the folders around it, and leaves the trash",
        arguments: [nil, JournalStep.arriveStaged, .arrivePublished, .arriveRecorded])
    func restored(killedAt step: JournalStep?) throws {
        try storage.tell(storage.item("f", "Folder", kind: .folder))
        try provided("a", "a.txt", in: "f", "first")
        try removeAsked("f")
        let record = try #require(try storage.index.read { try $0.trash(.all, limit: 1) }.first)
        let source = storage.root.trash.path(of: record.document.id, in: storage.domain)
        if let step { storage.observe(StopAt(step)) }
        do {
            let arrival = try storage.store.beginArrival(
                of: source, to: .root, making: [ItemName("Folder")], name: ItemName("a.txt"), in: storage.domain,
                from: record)
            _ = try storage.store.finish(arrival)
            try storage.store.finishRestoring(record)
            #expect(step == nil)
        } catch is StoppedByObserver {
            try storage.reopen()
            // What is in the storage root is no source that could give no answer.
            let report = try storage.store.reconcile(leavingSources: true)
            #expect(report.sources == [])
        }
        if step == .arriveStaged {
            #expect(try trash().map(contents) == ["first"], "it never happened")
        } else {
            #expect(try trash() == [] && storage.root.trash.files(of: storage.domain).isEmpty)
            #expect(try storage.document("Folder/a.txt") == "first")
            #expect(try storage.index.read { try $0.item(at: storage.location("Folder/a.txt")) }?.isArriving == true)
        }
    }

    @Test("CONT-13: an index of the version before has an empty trash")
    func migrated() throws {
        try storage.root.close()
        try DatabaseEdits.execute(
            DatabaseEdits.toVersion16 + "DROP TABLE trash; PRAGMA user_version = 15",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        let root = try StorageRoot(at: storage.rootPath, logger: storage.logger)
        defer { try? root.close() }
        #expect(try root.index.read { try $0.trashStatus() } == TrashStatus(limits: .usual, documents: 0, bytes: 0))
    }

    @Test("CONT-13: what was just out of the tree when the host was killed, and not in the trash yet, is found there")
    func killedBetween() throws {
        try provided("a", "a.txt", "first")
        let file = try #require(try storage.indexed("a").local)
        let slot = try storage.root.trash.slot(for: storage.location("a.txt"))
        #expect(try storage.tree.removeFile(at: storage.location("a.txt"), expecting: file, into: slot))
        // As it lies there between the two.
        let folder = storage.rootPath.appending(".docent")
        let moved = rename(
            folder.appending("trash").appending("work").appending(slot.id).string,
            folder.appending("staging").appending(DocumentTree.leavingPrefix + "x").string)
        #expect(moved == 0)
        try storage.store.recordGone(ItemIdentifier("a"), in: storage.domain)
        try storage.reopen()
        _ = try storage.store.reconcile()
        let found = try trash()
        #expect(found.map { "\($0.location)" } == ["work:/a.txt"])
        #expect(try found.map(contents) == ["first"])
    }

    @Test(
        "CONT-13: an entry of a time to come keeps nothing from going, and nothing strange keeps a host from starting")
    func strange() throws {
        try provided("a", "a.txt", "first")
        storage.now += 365 * 86_400
        try removeAsked("a")
        storage.now -= 365 * 86_400
        try provided("b", "b.txt", "second")
        try removeAsked("b")
        storage.now += 31 * 86_400
        try storage.store.trimTrash()
        #expect(try trash().map(contents) == ["first"])
        let one = try #require(try trash().first)
        let folder = storage.root.trash.path(of: one.id, in: storage.domain).removingLastComponent()
        try storage.write("odd", to: folder.appending("a\u{1}b"))
        #expect(mkdir(folder.appending("folder").string, 0o700) == 0)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try trash().contains(one))
        try storage.root.trash.remove(one.id, in: storage.domain)
        #expect { try storage.store.trashed(one.id) } throws: { ($0 as? DocumentError)?.code == .noSuchItem }
        #expect(try !trash().contains(one))
    }

    @Test("CONT-13: when nothing can be written, what is oldest goes, whatever is said to be free")
    func full() throws {
        for id in ["a", "b"] {
            try provided(id, id + ".txt", "text")
            try removeAsked(id)
        }
        try storage.store.makeRoomInTrash()
        #expect(try trash() == [])
    }

    @Test("CONT-13: after a crash, too, what has a copy elsewhere does not go into the trash")
    func elsewhereAfterCrash() throws {
        try provided("a", "a.txt", "first")
        let change = try storage.store.beginRemoving(
            ItemIdentifier("a"), in: storage.domain, skippingTrash: true)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.pending.map(\.id) == [change.entry.id])
        for entry in report.pending { try storage.store.perform(try storage.store.recordGone(entry)) }
        #expect(try trash() == [] && storage.document("a.txt") == nil)
    }
}
