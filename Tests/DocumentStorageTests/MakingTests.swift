import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Documents that tools write where nothing is yet (COORD-19, PICK-2).
struct MakingTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func path(_ place: String) throws -> FilePath { storage.tree.path(of: try storage.location(place)) }

    private func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    private func expect(_ name: String, in parent: ItemIdentifier = .root) throws -> JournalEntry {
        try storage.store.expectDocument(named: ItemName(name), in: parent, of: storage.domain)
    }

    private func takeIn(_ entry: JournalEntry) throws -> IndexedItem? {
        try storage.store.takeIn(entry) { name, _, attempt in try ItemName("\(attempt) \(name)") }
    }

    private func journal() throws -> [JournalEntry] { try storage.index.read { try $0.journal() } }

    @Test("COORD-19, PICK-2: what was written becomes an item with changes to be sent; nothing written, nothing made")
    func written() throws {
        let entry = try expect("new.txt")
        #expect(try item(at: "new.txt") == nil)
        try storage.write("text", to: path("new.txt"))
        let made = try #require(try takeIn(entry))
        #expect(made.state == .changed && made.isArriving && made.isUnsent && made.id == entry.itemID)
        #expect(try item(at: "new.txt") == made)
        #expect(try takeIn(try expect("other.txt")) == nil)
        #expect(try item(at: "other.txt") == nil)
        #expect(try journal() == [])
    }

    @Test("COORD-19: a place that is taken is refused, be it by another way to write the name, or by a stray file")
    func refused() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "a"))
        #expect(throws: DocumentError.self) { try expect("a.txt") }
        let clash = #expect(throws: DocumentError.self) { try expect("A.TXT") }
        #expect(clash?.code == .nameClash)
        _ = try takeIn(try expect("b.txt"))
        try storage.write("stray", to: path("stray.txt"))
        let stray = #expect(throws: DocumentError.self) { try expect("stray.txt") }
        #expect(stray?.code == .destinationExists)
        #expect(try journal() == [])
    }

    @Test(
        "COORD-19: what waited for a new document's name gets it when a program removes that one before it was sent")
    func removedForAnother() throws {
        let other = try storage.item("o", "other.txt", contents: "theirs")
        try storage.tell(other)
        try storage.provide(other, "theirs")
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        let made = try #require(try takeIn(entry))
        try storage.tell(storage.item("o", "new.txt", contents: "theirs"))
        #expect(try storage.indexed("o").wanted?.name.rawValue == "new.txt")
        #expect(unlink(try path("new.txt").string) == 0)
        #expect(throws: DocumentError.self) { try storage.store.recordChange(of: made.id, in: storage.domain) }
        #expect(try item(at: "new.txt")?.id.rawValue == "o")
        #expect(try storage.document("new.txt") == "theirs")
        #expect(try storage.document("other.txt") == nil)
    }

    @Test("COORD-19: a place that was taken meanwhile keeps its item; what was written is beside it")
    func taken() throws {
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        try storage.tell(storage.item("n", "new.txt", contents: "theirs"), storage.item("o", "1 new.txt"))
        let made = try #require(try takeIn(entry))
        #expect(made.item.name?.rawValue == "2 new.txt")
        #expect(try storage.document("2 new.txt") == "ours")
        #expect(try storage.document("new.txt") == nil)
        #expect(try item(at: "new.txt")?.id.rawValue == "n")
    }

    @Test("COORD-19, INV-1: so it is when the item has contents here, and its file is still to come to the place")
    func takenByMoved() throws {
        let other = try storage.item("o", "other.txt", contents: "theirs")
        try storage.tell(other)
        try storage.provide(other, "theirs")
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        // Somebody uses it: the tree follows later.
        let moved = try storage.item("o", "new.txt", contents: "theirs")
        _ = try storage.store.apply([moved], in: storage.domain, leavingWork: true)
        let made = try #require(try takeIn(entry))
        #expect(made.id == entry.itemID && made.item.name?.rawValue == "1 new.txt")
        #expect(try storage.document("1 new.txt") == "ours")
        for entry in try journal() { try storage.store.perform(entry) }
        #expect(try storage.document("new.txt") == "theirs")
        #expect(try item(at: "new.txt")?.id.rawValue == "o")
        #expect(try journal() == [])
    }

    @Test("COORD-19: a crash while it gets another name loses nothing")
    func crashBeside() throws {
        var entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        try storage.tell(storage.item("n", "new.txt", contents: "theirs"))
        // As takeIn does it, up to the file's new name.
        entry.payload.destination = try [ItemName("beside.txt")]
        _ = try storage.index.write { try $0.advance(entry, to: .makeExpected) }
        #expect(try storage.tree.rename(storage.location("new.txt"), to: ItemName("beside.txt")))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try item(at: "beside.txt")?.state == .changed)
        #expect(try storage.document("beside.txt") == "ours")
        #expect(try journal() == [])
    }

    @Test("COORD-19: what was written when the host died is taken in at its next start, beside what is there")
    func crash() throws {
        for name in ["one.txt", "two.txt", "three.txt"] { _ = try expect(name) }
        try storage.write("one", to: path("one.txt"))
        try storage.write("two", to: path("two.txt"))
        try storage.tell(storage.item("n", "two.txt", contents: "theirs"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try item(at: "one.txt")?.state == .changed)
        #expect(try storage.document("two (2).txt") == "two")
        #expect(try item(at: "two (2).txt")?.isArriving == true)
        #expect(try item(at: "three.txt") == nil)
        #expect(try journal() == [])
    }

    @Test(
        "VER-15: what was written where the folders around it are gone by now comes with new ones, also after a crash",
        arguments: [false, true])
    func foldersAnew(dies: Bool) throws {
        let outer = try storage.item("f", "f", kind: .folder)
        try storage.tell(outer)
        try storage.tell(storage.item("g", "g", in: "f", kind: .folder))
        let entry = try expect("new.txt", in: ItemIdentifier("g"))
        let nothing = try expect("nothing.txt", in: ItemIdentifier("g"))
        try storage.write("ours", to: path("f/g/new.txt"))
        try storage.store.recordGone(outer.id, in: storage.domain)
        #expect(throws: DocumentError.self) { try storage.indexed("g") }
        if dies {
            try storage.reopen()
            #expect(try storage.store.reconcile().unknownFiles == [])
        } else {
            #expect(try takeIn(nothing) == nil)
            #expect(try item(at: "f") == nil)
            #expect(try takeIn(entry)?.state == .changed)
        }
        let made = try #require(try item(at: "f/g/new.txt"))
        #expect(made.state == .changed && made.isArriving)
        for folder in ["f", "f/g"] { #expect(try item(at: folder)?.isArriving == true) }
        #expect(try storage.document("f/g/new.txt") == "ours")
        #expect(try item(at: "f/g/nothing.txt") == nil)
        #expect(try journal() == [])
    }

    private func makeFolder() throws {
        let inner = try path("new").appending("inner")
        try FileManager.default.createDirectory(atPath: inner.string, withIntermediateDirectories: true)
        try storage.write("one", to: path("new").appending("one.txt"))
        try storage.write("two", to: inner.appending("two.txt"))
    }

    @Test("COORD-19: a folder that was made there becomes one, with all that is in it", arguments: [false, true])
    func folder(hasDied: Bool) throws {
        let entry = try expect("new")
        try makeFolder()
        if hasDied {
            try storage.reopen()
            let report = try storage.store.reconcile()
            #expect(report.unknownFiles == [], "\(report)")
        } else {
            let made = try #require(try takeIn(entry))
            #expect(made.id == entry.itemID && made.item.kind == .folder)
        }
        #expect(try item(at: "new")?.isArriving == true)
        #expect(try item(at: "new/inner")?.item.kind == .folder)
        for (place, text) in [("new/one.txt", "one"), ("new/inner/two.txt", "two")] {
            #expect(try item(at: place)?.state == .changed)
            #expect(try storage.document(place) == text)
        }
        #expect(try journal() == [])
        // What is recorded is what lies there.
        let id = try #require(try item(at: "new/one.txt")).id
        #expect(try storage.store.recordChange(of: id, in: storage.domain).state == .changed)
    }

    @Test("COORD-21: a folder that was made there is a package where its name says so")
    func package() throws {
        let entry = try expect("new.rtfd")
        try FileManager.default.createDirectory(
            atPath: path("new.rtfd/Inner").string, withIntermediateDirectories: true)
        try storage.write("text", to: path("new.rtfd/Inner/text.txt"))
        #expect(try takeIn(entry)?.item.kind == .package)
        #expect(try item(at: "new.rtfd/Inner")?.item.kind == .folder)
    }

    @Test("COORD-19: a folder comes beside what has its place meanwhile; into another folder nothing is mixed")
    func folderBeside() throws {
        let (entry, other) = (try expect("new"), try expect("second"))
        try makeFolder()
        try storage.tell(storage.item("n", "new", contents: "theirs"))
        let made = try #require(try takeIn(entry))
        #expect(made.item.name?.rawValue == "1 new" && made.id == entry.itemID)
        #expect(try storage.document("1 new/inner/two.txt") == "two")
        try FileManager.default.createDirectory(
            atPath: path("second").string, withIntermediateDirectories: false)
        try storage.write("mine", to: path("second").appending("mine.txt"))
        try storage.tell(storage.item("s", "second", kind: .folder))
        let error = #expect(throws: DocumentError.self) { try takeIn(other) }
        #expect(error?.code == .destinationExists)
        #expect(try storage.read(path("second").appending("mine.txt")) == "mine")
    }

    @Test("COORD-19: what cannot be an item stays where it is, and is said again at each start")
    func notAnItem() throws {
        let entry = try expect("new")
        try makeFolder()
        try FileManager.default.createSymbolicLink(
            atPath: path("new").appending("link").string, withDestinationPath: "/etc/passwd")
        #expect(throws: DocumentError.self) { try takeIn(entry) }
        #expect(try item(at: "new") == nil)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.findings.contains { $0.contains("cannot be taken in") })
        #expect(try storage.read(path("new").appending("one.txt")) == "one")
    }

    // MARK: In the place of a document whose contents are not here

    @Test("COORD-19, COORD-21: what replaces a placeholder is its contents, changed since what the remote had")
    func replacedPlaceholder() throws {
        try storage.tell(storage.item("f", "f", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "old"))
        let id = try ItemIdentifier("a")
        let entry = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
        try storage.write("ours", to: path("f/a.txt"))
        // What the remote has got meanwhile, the tool has not seen.
        try storage.tell(storage.item("a", "a.txt", in: "f", contents: "theirs", version: "2"))
        let made = try storage.store.recordChange(entry)
        #expect(made.state == .changed && made.synced?.content == Array("1".utf8))
        #expect(try storage.document("f/a.txt") == "ours")
        #expect(try journal() == [])
        let sending = try storage.store.beginSending(id, in: storage.domain)
        #expect(sending.base.content == Array("1".utf8))
        #expect(try storage.read(sending.snapshot.path) == "ours")
    }

    @Test("VER-7: what was changed and not sent is older contents when something takes its place, and is so once")
    func replacedUnsent() throws {
        let here = try storage.item("a", "a.txt", contents: "old")
        try storage.tell(here)
        try storage.provide(here, "old")
        let id = try ItemIdentifier("a")
        let edit = try storage.store.expectChange(of: id, in: storage.domain)
        try storage.save("precious", to: path("a.txt"))
        #expect(try storage.store.recordChange(edit).state == .changed)
        for contents in ["ours", "ours again"] {
            let given = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
            _ = try storage.store.recordChange(given)
            let entry = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
            try storage.save(contents, to: path("a.txt"))
            #expect(try storage.store.recordChange(entry).state == .changed)
        }
        let kept = try storage.index.read { try $0.keptVersions(of: id, in: storage.domain) }
        let contents = try kept.sorted { $0.number < $1.number }.map { version in
            let contents = try storage.read(storage.root.versions.path(of: version.kept)) ?? "nothing"
            return "\(version.role == .base ? "base" : "older"): \(contents)"
        }
        #expect(contents == ["base: old", "older: precious", "older: ours"])
    }

    @Test("COORD-19: a placeholder that is replaced with nothing stays one; what others write there is not its own")
    func replacedWithNothing() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "old"))
        let id = try ItemIdentifier("a")
        let nothing = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
        #expect(try storage.store.recordChange(nothing).state == .placeholder)
        let plain = try storage.store.expectChange(of: id, in: storage.domain)
        try storage.write("stray", to: path("a.txt"))
        let refusal = #expect(throws: DocumentError.self) { try storage.store.recordChange(plain) }
        #expect(refusal?.code == .destinationExists)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try journal() == [])
    }

    /// How the write comes to its end, of which the remote has removed the document meanwhile.
    enum Ending: CaseIterable {
        case recorded, unrecorded, crashed
    }

    /// A document that is not here is being written anew while the remote removes it, or the folder around it.
    private func beginReplacing(gone id: String) throws -> (entry: JournalEntry, work: [JournalEntry]) {
        try storage.tell(storage.item("f", "f", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "old"))
        let entry = try storage.store.expectChange(of: ItemIdentifier("a"), in: storage.domain, replacing: true)
        let outcome = try storage.index.write { try $0.delete([ItemIdentifier(id)], in: storage.domain) }
        return (entry, outcome.work)
    }

    @Test(
        "VER-15, COORD-19: what is written in place of a document that is not here outlives its removal on the remote meanwhile, also after a crash",
        arguments: ["a", "f"], Ending.allCases)
    func replacedWhileRemoved(gone: String, ending: Ending) throws {
        let (entry, work) = try beginReplacing(gone: gone)
        try storage.write("ours", to: path("f/a.txt"))
        switch ending {
        case .recorded: #expect(try storage.store.recordChange(entry).state == .changed)
        case .unrecorded: break
        case .crashed:
            try storage.reopen()
            #expect(try storage.store.reconcile().unknownFiles == [])
        }
        // Done again it is no error.
        for entry in work { try storage.store.perform(entry) }
        let item = try storage.indexed("a")
        #expect(item.state == .changed && item.isGone == (gone == "a"))
        #expect(try storage.index.read { try $0.isGoneThere(item) })
        #expect(try storage.document("f/a.txt") == "ours")
        #expect(try journal() == [])
        // Whoever has written it ends after that, perhaps.
        #expect(try storage.store.recordChange(entry).state == .changed)
        #expect(try storage.document("f/a.txt") == "ours")
    }

    @Test(
        "VER-15, COORD-19: where nothing was written in place of a document that the remote has removed, it goes",
        arguments: ["a", "f"], [false, true])
    func notReplacedWhileRemoved(gone: String, hasDied: Bool) throws {
        let (entry, work) = try beginReplacing(gone: gone)
        // The provider says it once more.
        #expect(try storage.index.write { try $0.delete([ItemIdentifier(gone)], in: storage.domain) }.work == [])
        #expect(try item(at: "f/a.txt") != nil)
        if hasDied {
            try storage.reopen()
            _ = try storage.store.reconcile()
        } else {
            #expect(try storage.store.recordChange(entry).state == .placeholder)
            for entry in work { try storage.store.perform(entry) }
        }
        #expect(try item(at: "f/a.txt") == nil && (item(at: "f") == nil) == (gone == "f"))
        #expect(try storage.placeholder("f/a.txt") == nil)
        #expect(try journal() == [])
    }

    @Test(
        "COORD-19: what replaced a document when the host died is its contents after the next start, here before or not"
    )
    func replacedAndCrashed() throws {
        let here = try storage.item("h", "here.txt", contents: "here")
        try storage.tell(storage.item("a", "a.txt", contents: "old"), storage.item("b", "b.txt", contents: "old"), here)
        try storage.provide(here, "here")
        for id in ["a", "b", "h"] {
            _ = try storage.store.expectChange(of: ItemIdentifier(id), in: storage.domain, replacing: true)
        }
        try storage.write("ours", to: path("a.txt"))
        try storage.save("ours too", to: path("here.txt"))
        try storage.tell(storage.item("a", "a.txt", contents: "theirs", version: "2"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").synced?.content == Array("1".utf8))
        #expect(try storage.document("a.txt") == "ours")
        #expect(try storage.indexed("b").state == .placeholder)
        #expect(try storage.indexed("h").state == .changed)
        #expect(try storage.document("here.txt") == "ours too")
        #expect(try journal() == [])
    }

    @Test("COORD-30: an item that was moved to the place inside of the access is that item, and no new one")
    func movedThere() throws {
        let doomed = try storage.item("a", "a.txt", contents: "moved")
        try storage.tell(doomed)
        try storage.provide(doomed, "moved")
        let entry = try expect("b.txt")
        let change = try storage.store.beginRenaming(
            doomed.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        _ = try storage.store.finish(change, as: storage.item("a", "b.txt", contents: "moved"))
        #expect(try takeIn(entry)?.id.rawValue == "a")
        #expect(try item(at: "b.txt")?.state == .materialised)
        #expect(try journal() == [])
    }

    @Test("CONT-7: a document or a folder with nothing in it is made at once; a name that is taken is refused")
    func made() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        #expect(folder.isArriving && folder.item.kind == .folder)
        let (document, change) = try storage.store.makeDocument(
            named: ItemName("x"), in: folder.id, of: storage.domain)
        #expect(document.isArriving && document.state == .changed)
        #expect(try storage.document("f/x") == "")
        #expect(try journal() == [change])
        let asDocument = #expect(throws: DocumentError.self) {
            try storage.store.makeDocument(named: ItemName("F"), in: .root, of: storage.domain)
        }
        let asFolder = #expect(throws: DocumentError.self) {
            try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        }
        #expect(asDocument?.code == .nameClash && asFolder?.code == .nameClash)
        try storage.write("text", to: path("f/x"))
        #expect(try storage.store.recordChange(change).item.name?.rawValue == "x")
        #expect(try item(at: "f/x")?.local?.size == 4)
        #expect(try journal() == [])
    }

    @Test(
        "A document that is made costs no flush; the end of its write, and whoever asks for it, brings it to the disk")
    func flushes() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        let plan = FaultPlan()
        let flushes = { plan.calls.filter { $0 == .flush }.count }
        try FaultPlan.$current.withValue(plan) {
            let (_, first) = try storage.store.makeDocument(named: ItemName("x"), in: folder.id, of: storage.domain)
            let (_, second) = try storage.store.makeDocument(named: ItemName("y"), in: folder.id, of: storage.domain)
            #expect(flushes() == 0)
            // The file, its folder, and the folder around that.
            try storage.store.flushChange(first)
            #expect(flushes() == 3)
            _ = try storage.store.recordChange(second)
            #expect(flushes() == 6, "nothing was written to it, and it is there for all that")
        }
    }

    @Test("What a folder was given and has lost, and what was written to a free place, is on disk for whoever asks")
    func flushesOfNames() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        let entry = try expect("free")
        let plan = FaultPlan()
        let flushes = { plan.calls.filter { $0 == .flush }.count }
        try storage.write("text", to: path("free"))
        try FaultPlan.$current.withValue(plan) {
            // The folder, and the one around it.
            try storage.store.flushNames(of: folder.id, in: storage.domain)
            #expect(flushes() == 2)
            // The file, and its folder.
            try storage.store.flushExpected(entry)
            #expect(flushes() == 4)
        }
        #expect(try takeIn(entry)?.local?.size == 4)
    }

    /// Does something in another thread at a step, and gives it a while.
    private final class Meanwhile: StepObserver {
        private let step: JournalStep
        private let body: @Sendable () -> Void
        private let done = DispatchSemaphore(value: 0)

        init(at step: JournalStep, _ body: @escaping @Sendable () -> Void) {
            self.step = step
            self.body = body
        }

        func reached(_ step: JournalStep) {
            guard step == self.step else { return }
            Thread.detachNewThread { [body, done] in
                body()
                done.signal()
            }
            if done.wait(timeout: .now() + 0.3) == .success { done.signal() }
        }

        func wait() { done.wait() }
    }

    @Test(
        "A folder that is moved while a document is made in it, or comes into it, takes that along",
        arguments: [false, true])
    func movedAround(isProvided: Bool) throws {
        let folder = try storage.item("f", "f", kind: .folder)
        let document = try storage.item("d", "d", in: "f", contents: "text")
        try storage.tell(folder, document)
        try storage.tree.makeFolder(at: storage.location("f"))
        let plain = storage.store
        let moved = try storage.item("f", "g", kind: .folder, version: "2")
        let domain = storage.domain
        let meanwhile = Meanwhile(at: isProvided ? .materialisePublished : .makeExpected) {
            _ = try? plain.apply([moved], in: domain)
        }
        storage.observe(meanwhile)
        if isProvided {
            _ = try storage.provide(document, "text")
        } else {
            let (_, change) = try storage.store.makeDocument(named: ItemName("d2"), in: folder.id, of: domain)
            meanwhile.wait()
            try storage.write("text", to: path("g/d2"))
            _ = try storage.store.recordChange(change)
        }
        if isProvided { meanwhile.wait() }
        #expect(try storage.document(isProvided ? "g/d" : "g/d2") == "text")
        #expect(try storage.tree.inode(at: storage.location("f")) == nil)
        #expect(try item(at: isProvided ? "g/d" : "g/d2")?.local?.size == 4)
    }

    @Test("COORD-19: a document whose file came to the disk before the index did is an item once more; a copy is none")
    func crashBeforeIndex() throws {
        let (made, change) = try storage.store.makeDocument(named: ItemName("new"), in: .root, of: storage.domain)
        let (known, other) = try storage.store.makeDocument(named: ItemName("known"), in: .root, of: storage.domain)
        try storage.write("text", to: path("new"))
        _ = try storage.store.recordChange(other)
        let stamp = try #require(try storage.tree.stamp(at: storage.location("known")))
        try storage.write("copy", to: path("copy"))
        let copy = try #require(try storage.tree.file(at: storage.location("copy")))
        #expect(try storage.tree.restamp(storage.location("copy"), stamp, expecting: copy) != nil)
        // As when the machine has died: what was committed last is not there.
        try storage.index.write { index in
            try index.finish(change)
            _ = try index.deleteCleared(made.id, in: storage.domain)
        }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [try storage.location("copy")], "\(report)")
        let found = try #require(try item(at: "new"))
        #expect(found.isArriving && found.state == .changed && found.local?.size == 4)
        #expect(try item(at: "known")?.id == known.id)
        #expect(try storage.document("new") == "text")
        #expect(try storage.store.recordChange(of: found.id, in: storage.domain).state == .changed)
    }

    @Test("COORD-19: a document that was just made is kept when the host dies, and is no item where its file is gone")
    func crashWhileMade() throws {
        _ = try storage.store.makeDocument(named: ItemName("kept"), in: .root, of: storage.domain)
        _ = try storage.store.makeDocument(named: ItemName("lost"), in: .root, of: storage.domain)
        try storage.write("text", to: path("kept"))
        // As when the machine has died, and not only the host.
        #expect(unlink(try path("lost").string) == 0)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [] && report.missing == 0, "\(report)")
        #expect(try item(at: "kept")?.local?.size == 4)
        #expect(try item(at: "lost") == nil)
        #expect(try journal() == [])
        _ = try storage.store.makeDocument(named: ItemName("lost"), in: .root, of: storage.domain)
    }
}
