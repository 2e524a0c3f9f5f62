import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// What the provider says is gone, and what is not removed yet.
struct HeldRemovalTests {
    /// A folder with a document that is here and one that is not, and a document beside it.
    private func fixture() throws -> StorageFixture {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("f", "Folder", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "alpha"),
            storage.item("b", "b.txt", in: "f"), storage.item("c", "c.txt"))
        try storage.provide(storage.item("a", "a.txt", in: "f"), "alpha")
        return storage
    }

    private func gone(_ ids: String..., in storage: StorageFixture, updated: [Item] = []) throws {
        let changes = ItemChanges(
            updated: updated, deleted: try ids.map { try ItemIdentifier($0) }, anchor: try SyncAnchor([1]), more: false)
        _ = try storage.store.apply(changes, in: storage.domain, holding: true)
    }

    private func settle(
        _ storage: StorageFixture, _ verdict: DocumentStore.RemovalVerdict
    ) throws -> DocumentStore.RemovalLoad? {
        var seen: DocumentStore.RemovalLoad?
        let outcome = try storage.store.settleHeldRemovals(of: storage.domain) { load, record in
            seen = load
            record.asked = verdict == .wait ? 7 : nil
            return verdict
        }
        try storage.store.perform(outcome)
        return seen
    }

    private func exists(_ id: String, in storage: StorageFixture) throws -> Bool {
        try storage.index.read { try $0.item(ItemIdentifier(id), in: storage.domain) } != nil
    }

    @Test("CONT-13: what waits stays as it is, over a restart, and is counted with all below it")
    func waits() throws {
        let storage = try fixture()
        try gone("f", "a", in: storage)
        let load = try #require(try settle(storage, .wait))
        #expect(load.gathered == 3)
        #expect(load.items == 4)
        try storage.reopen()
        #expect(try storage.index.read { try $0.removalWatch(of: .told, in: storage.domain).asked } == 7)
        #expect(try storage.index.read { try $0.countHeld(of: .told, in: storage.domain) } == (3, 1))
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.read(storage.tree.path(of: storage.location("Folder/a.txt"))) == "alpha")
    }

    @Test("CONT-13: carried out, it is gone here like any other removal")
    func carriedOut() throws {
        let storage = try fixture()
        try gone("f", in: storage)
        _ = try settle(storage, .carryOut)
        for id in ["f", "a", "b"] { #expect(try !exists(id, in: storage)) }
        #expect(try exists("c", in: storage))
        #expect(try storage.read(storage.tree.path(of: storage.location("Folder/a.txt"))) == nil)
        #expect(try settle(storage, .carryOut) == nil)
    }

    @Test(
        "CONT-13: what waits for another one's name goes like all else, also with what had its own",
        arguments: [false, true])
    func waitingForName(isHeld: Bool) throws {
        let storage = try StorageFixture()
        try storage.tell(storage.item("a", "a.txt"), storage.item("d", "d.txt"))
        for name in ["d.txt", "a.txt"] { try storage.tell(storage.item("e", name)) }
        if isHeld {
            try gone("d", "e", in: storage)
            _ = try settle(storage, .carryOut)
        } else {
            let ids = try ["d", "e"].map { try ItemIdentifier($0) }
            let changes = ItemChanges(updated: [], deleted: ids, anchor: try SyncAnchor([1]), more: false)
            _ = try storage.store.apply(changes, in: storage.domain)
        }
        for id in ["d", "e"] { #expect(try !exists(id, in: storage)) }
        #expect(try exists("a", in: storage))
    }

    @Test("CONT-13: what the provider tells of again does not wait any more")
    func cameBack() throws {
        let storage = try fixture()
        try gone("f", "c", in: storage)
        _ = try settle(storage, .wait)
        try gone(in: storage, updated: [storage.item("f", "Folder", kind: .folder)])
        #expect(try settle(storage, .wait)?.gathered == 1)
        try storage.tell(storage.item("c", "c.txt"))
        // Nothing is left of the question.
        #expect(try settle(storage, .carryOut)?.gathered == 0)
        #expect(try exists("c", in: storage))
        #expect(try storage.index.read { try $0.removalWatch(of: .told, in: storage.domain).asked } == nil)
    }

    @Test("CONT-13, VER-15: kept, documents with contents here are to be sent anew, and names alone go")
    func kept() throws {
        let storage = try fixture()
        try gone("f", "c", in: storage)
        _ = try settle(storage, .wait)
        let outcome = try storage.store.answerHeldRemovals(of: storage.domain, keepingContents: true)
        try storage.store.perform(outcome)
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("f").isGone)
        #expect(try storage.read(storage.tree.path(of: storage.location("Folder/a.txt"))) == "alpha")
        for id in ["b", "c"] { #expect(try !exists(id, in: storage)) }
        #expect(try storage.index.read { try $0.countHeld(of: .told, in: storage.domain) } == (0, 0))
    }

    @Test(
        "CONT-13, VER-15: kept is also what somebody is just writing where only a name was here; with nothing written it goes",
        arguments: [true, false])
    func keptWhileWritten(isWritten: Bool) throws {
        let storage = try fixture()
        let entry = try storage.store.expectChange(of: ItemIdentifier("b"), in: storage.domain, replacing: true)
        try gone("f", "c", in: storage)
        _ = try settle(storage, .wait)
        let outcome = try storage.store.answerHeldRemovals(of: storage.domain, keepingContents: true)
        if isWritten { try storage.write("ours", to: storage.tree.path(of: storage.location("Folder/b.txt"))) }
        _ = try storage.store.recordChange(entry)
        try storage.store.perform(outcome)
        #expect(try exists("b", in: storage) == isWritten)
        #expect(try storage.document("Folder/b.txt") == (isWritten ? "ours" : nil))
        for id in isWritten ? ["a", "b"] : ["a"] { #expect(try storage.indexed(id).state == .changed) }
        #expect(try storage.indexed("f").isGone && !exists("c", in: storage))
    }

    @Test("CONT-13: of a listing, too, what was not seen waits, and is not asked for again")
    func listing() throws {
        let storage = try fixture()
        let root = ItemIdentifier.root
        for _ in 0..<2 {
            let generation = try storage.store.beginListing(of: root, in: storage.domain)
            let page = ItemPage(items: [try storage.item("c", "c.txt")], next: nil)
            _ = try storage.store.apply(page, of: root, in: storage.domain, generation: generation, holding: true)
        }
        #expect(try settle(storage, .wait)?.gathered == 3)
        #expect(
            try storage.index.read { try $0.unseenOfNote(in: root, of: storage.domain, generation: 99) }.isEmpty)
    }

    @Test(
        "RS-8: what a listing shows that was in a folder before that was listed more often is there, and its contents stay",
        arguments: [false, true])
    func listedMoreOften(isToldFirst: Bool) throws {
        let storage = try fixture()
        let (folder, other) = (try ItemIdentifier("f"), try ItemIdentifier("g"))
        try storage.tell(storage.item("g", "Other", kind: .folder))
        for _ in 0..<3 {
            try storage.list(folder, storage.item("a", "a.txt", in: "f", contents: "alpha"))
        }
        var moved = try storage.item("a", "a.txt", in: "g", contents: "alpha")
        moved.version = try ItemVersion(content: moved.version.content, metadata: [9])
        if isToldFirst {
            try storage.tell(moved)
            moved.version = try ItemVersion(content: moved.version.content, metadata: [10])
        }
        try storage.list(other, moved)
        let item = try storage.indexed("a")
        #expect(item.item.parentID == other && !item.isGone && item.state == .materialised)
        #expect(try storage.document("Other/a.txt") == "alpha")
    }

    @Test("CONT-13: a removal asked for here waits, or does not")
    func asked() throws {
        let storage = try fixture()
        var loads: [DocumentStore.RemovalLoad] = []
        for verdict in [DocumentStore.RemovalVerdict.carryOut, .wait, .wait] {
            let id = try ItemIdentifier(loads.isEmpty ? "c" : "f")
            let now = try storage.store.admitRemoval(
                of: id, in: storage.domain, recursive: true, discardingEdits: false
            ) { load, _ in
                loads.append(load)
                return verdict
            }
            #expect(now == verdict)
        }
        #expect(loads.map(\.gathered) == [1, 3, 3])
        let held = try storage.index.read { try $0.heldRemovals(of: .asked, in: storage.domain) }
        #expect(held.map(\.item.id.rawValue) == ["f"])
        #expect(held.first?.isRecursive == true)
        try storage.index.write { try $0.releaseHeldRemovals(of: .asked, in: storage.domain) }
        #expect(try storage.index.read { try $0.countHeld(of: .asked, in: storage.domain) } == (0, 0))
    }

    @Test("CONT-13: while an answer is waited for a further removal waits, too, without a look at those before it")
    func askedAlready() throws {
        let storage = try fixture()
        var looks = 0
        for id in ["f", "c"] {
            let verdict = try storage.store.admitRemoval(
                of: ItemIdentifier(id), in: storage.domain, recursive: true, discardingEdits: false
            ) { _, record in
                looks += 1
                record.asked = 7
                return .wait
            }
            #expect(verdict == .wait)
        }
        #expect(looks == 1)
        let (held, watch) = try storage.index.read { index in
            (
                try index.heldRemovals(of: .asked, in: storage.domain),
                try index.removalWatch(of: .asked, in: storage.domain)
            )
        }
        #expect(Set(held.map(\.item.id.rawValue)) == ["c", "f"] && watch.asked == 7)
    }

    /// Asks like the host: from three deletions on. What is carried out is noted.
    private func judge(_ load: DocumentStore.RemovalLoad, _ record: inout RemovalWatchRecord)
        -> DocumentStore.RemovalVerdict
    {
        let before = record.recent.reduce(0) { $0 + $1.count - $1.excused }
        guard load.gathered == 0 || load.gathered + before < 3 else { return .wait }
        record.recent += load.removals.map {
            .init(time: 7, count: $0.count, excused: $0.excused, trace: $0.trace)
        }
        return .carryOut
    }

    /// A package with parts.
    private func package(_ parts: String...) throws -> StorageFixture {
        let storage = try fixture()
        try storage.tell(storage.item("p", "p.rtfd", kind: .package))
        for part in parts { try storage.tell(storage.item(part, "\(part).txt", in: "p")) }
        return storage
    }

    /// - Returns: whether it may go; it is gone then.
    private func remove(_ id: String, in storage: StorageFixture) throws -> Bool {
        let verdict = try storage.store.admitRemoval(
            of: ItemIdentifier(id), in: storage.domain, recursive: false, discardingEdits: false, judge: judge)
        if verdict == .carryOut {
            _ = try storage.index.write { try $0.delete([ItemIdentifier(id)], in: storage.domain) }
        }
        return verdict == .carryOut
    }

    @Test("CONT-13: of a package that goes on existing any part may go; with its last one all of them are counted")
    func partsOfPackage() throws {
        let storage = try package("1", "2", "3", "4", "5", "6")
        for part in 1...5 { #expect(try remove("\(part)", in: storage)) }
        #expect(try storage.index.read { try $0.removalWatch(of: .asked, in: storage.domain).recent.count } == 5)
        try storage.reopen()
        #expect(try !remove("6", in: storage))
        // What is removed in the package meanwhile waits as well.
        try storage.tell(storage.item("7", "7.txt", in: "p"))
        #expect(try remove("7", in: storage) == false)
    }

    @Test("CONT-13: a package all of whose parts are removed and made anew with each save is never gone")
    func partsMadeAnew() throws {
        let storage = try package()
        for number in 0..<5 {
            for part in ["1", "2"] { try storage.tell(storage.item("\(part)-\(number)", "\(part).txt", in: "p")) }
            for part in ["1", "2"] { #expect(try remove("\(part)-\(number)", in: storage)) }
        }
        #expect(try !remove("c", in: storage))
    }

    @Test("CONT-13: what is there again under its name was replaced; what comes back as it was, was not gone for good")
    func replaced() throws {
        let storage = try fixture()
        for number in 0..<6 {
            #expect(try remove(number == 0 ? "c" : "c\(number)", in: storage))
            try storage.tell(storage.item("c\(number + 1)", "c.txt"))
        }
        // Nor is it one when the one that took its place goes, too.
        let recent = try storage.index.read { try $0.removalWatch(of: .asked, in: storage.domain).recent }
        #expect(recent.count == 1)
        // A folder is as many as what lies in it.
        #expect(try !remove("f", in: storage))
    }

    @Test("CONT-13: a removal that is asked for once more, as it did not come to its end, counts once")
    func askedOnceMore() throws {
        let storage = try fixture()
        for _ in 0..<6 {
            let verdict = try storage.store.admitRemoval(
                of: ItemIdentifier("c"), in: storage.domain, recursive: false, discardingEdits: false, judge: judge)
            #expect(verdict == .carryOut)
        }
        let recent = try storage.index.read { try $0.removalWatch(of: .asked, in: storage.domain).recent }
        #expect(recent.map(\.count) == [1])
    }

    @Test("CONT-13: a removal that was admitted and has not begun counts no more, unless it is gone by then")
    func takenBack() throws {
        let storage = try fixture()
        let id = try ItemIdentifier("c")
        func counts() throws -> [Int] {
            try storage.index.read { try $0.removalWatch(of: .asked, in: storage.domain).recent }.map(\.count)
        }
        for isGone in [false, true] {
            _ = try storage.store.admitRemoval(
                of: id, in: storage.domain, recursive: false, discardingEdits: false, judge: judge)
            #expect(try counts() == [1])
            if isGone { _ = try storage.index.write { try $0.delete([id], in: storage.domain) } }
            try storage.store.takeBackRemoval(of: id, in: storage.domain)
            #expect(try counts() == (isGone ? [1] : []))
        }
    }

    @Test(
        "CONT-13: what the provider tells of as gone is no deletion where something else has its name, or in a package that goes on"
    )
    func toldReplaced() throws {
        let storage = try package("1", "2", "3", "4")
        try gone("1", "2", "3", "c", in: storage, updated: [storage.item("d", "c.txt")])
        var gathered: [Int] = []
        let outcome = try storage.store.settleHeldRemovals(of: storage.domain) { load, record in
            gathered.append(load.gathered)
            return judge(load, &record)
        }
        try storage.store.perform(outcome)
        #expect(gathered == [4, 0])
        for id in ["1", "2", "3", "c"] { #expect(try !exists(id, in: storage)) }
        // The rest goes with the package.
        try gone("p", in: storage)
        _ = try storage.store.settleHeldRemovals(of: storage.domain) { judge($0, &$1) }
        #expect(try exists("p", in: storage) && exists("4", in: storage))
    }

    @Test("CONT-13: of very many removals only a number is kept, and the last ones one by one")
    func crowded() throws {
        let parts = (0..<300).map { "n\($0)" }
        let storage = try package("stays")
        for part in parts { try storage.tell(storage.item(part, "\(part).txt", in: "p")) }
        for part in parts { #expect(try remove(part, in: storage)) }
        let recent = try storage.index.read { try $0.removalWatch(of: .asked, in: storage.domain).recent }
        #expect(recent.count <= RemovalWatchRecord.mostTraces + 1)
        #expect(recent.allSatisfy { RemovalTrace($0.trace ?? "")?.packageDepth == 1 })
        let text = RemovalWatchRecord(asked: 1, recent: recent)
        #expect(RemovalWatchRecord(asked: 1, text: text.text) == text)
        for damaged in ["", "a.b.c", "1.0.", "1.1.61", "1.-1.61", "1.0.6", "1.0.zz", "1.0.2f"] {
            #expect(RemovalTrace(damaged) == nil, "\(damaged)")
        }
    }

    @Test("VER-15: a removal is one of what was known when it was asked for, and not of what is found out for it")
    func seen() throws {
        let storage = try fixture()
        try storage.list(
            ItemIdentifier("f"), storage.item("a", "a.txt", in: "f", contents: "alpha"),
            storage.item("b", "b.txt", in: "f"))
        try storage.tell(storage.item("g", "Unlisted", in: "f", kind: .folder))
        let place = try storage.location("Folder")
        let (seen, seenAlone) = try storage.index.read { index in
            (
                try SeenItems(at: place, isWhole: true, index),
                try SeenItems(at: storage.location("Folder/b.txt"), isWhole: false, index)
            )
        }
        try storage.tell(
            storage.item("b", "b.txt", in: "f", version: "2"), storage.item("n", "new.txt", in: "f"),
            storage.item("h", "h.txt", in: "g"))
        let folder = try storage.indexed("f")
        let covered = try storage.index.read { try seen.covered(of: folder, isWhole: true, $0) }
        for id in ["f", "a", "b", "g", "h"] { #expect(try covered.contains(storage.indexed(id)), "\(id)") }
        #expect(try !covered.contains(storage.indexed("n")), "it came to a folder of which all was known")
        #expect(try covered.version(of: storage.indexed("b")) == Array("1".utf8))
        #expect(try covered.version(of: storage.indexed("h")) == Array("1".utf8))

        let document = try storage.indexed("b")
        let alone = try storage.index.read { try seenAlone.covered(of: document, isWhole: false, $0) }
        #expect(alone.version(of: document) == Array("1".utf8))
        let other = try storage.indexed("n")
        #expect(try !storage.index.read { try seenAlone.covered(of: other, isWhole: false, $0) }.contains(other))
    }
}
