import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

struct ReconciliationTests {
    private func prepared() throws -> StorageFixture {
        let storage = try StorageFixture()
        for id in ["a", "b"] {
            let item = try storage.item(id, "\(id).txt", contents: "contents of \(id)")
            try storage.tell(item)
            try storage.provide(item, "contents of \(id)")
        }
        return storage
    }

    @Test("A root in order has no findings")
    func nothingToDo() throws {
        let storage = try prepared()
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.findings == [])
        #expect(report.swept == 0)
    }

    @Test("What counts as being sent, and no entry says so, is to be sent", arguments: [false, true])
    func sentByNobody(isEdited: Bool) throws {
        let storage = try prepared()
        try storage.edit("a", "edited")
        let sending = try storage.store.beginSending(ItemIdentifier("a"), in: storage.domain)
        try storage.index.write { try $0.finish(sending.entry) }
        if isEdited { try storage.write("again", to: storage.tree.path(of: storage.location("a.txt"))) }
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.document("a.txt") == (isEdited ? "again" : "edited"))
    }

    @Test("A file that is gone makes its item a placeholder, and is reported")
    func missingFile() throws {
        let storage = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        TemporaryFolder.remove(path)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 1)
        #expect(report.findings == ["The file of work:/a.txt is gone: it is a placeholder again."])
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try storage.placeholder("a.txt") != nil)
        #expect(try storage.indexed("b").state == .materialised)
    }

    @Test("DOWN-3: a file that has another place at the start is its document's still, and a change of it is unsent")
    func movedFiles() throws {
        let storage = try prepared()
        try storage.tell(storage.item("f", "F", kind: .folder))
        try storage.tree.makeFolder(at: storage.location("F"))
        try storage.write("changed", to: storage.tree.path(of: storage.location("a.txt")))
        for (from, to) in [("a.txt", "c.txt"), ("b.txt", "F/b.txt")] {
            let (from, to) = (try storage.location(from), try storage.location(to))
            try #require(rename(storage.tree.path(of: from).string, storage.tree.path(of: to).string) == 0)
        }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 0 && report.changed == 1 && report.unknownFiles == [])
        #expect(try report.moved.map(\.location) == [storage.location("c.txt"), storage.location("F/b.txt")])
        #expect(report.moved.map(\.id.rawValue) == ["a", "b"])
        #expect(report.moved.map(\.folder) == [.root, try ItemIdentifier("f")])
        #expect(try storage.indexed("a").state == .changed && storage.indexed("b").state == .materialised)
    }

    @Test(
        "DOWN-3: so is one for which newer contents were coming when the host ended, with what was changed of it",
        arguments: [false, true])
    func movedWhileComing(isEdited: Bool) throws {
        let storage = try prepared()
        let known = try storage.indexed("a")
        try storage.tell(storage.item("a", "a.txt", contents: "newer", version: "2"))
        _ = try storage.store.beginMaterialising(known.id, in: storage.domain)
        let moved = try storage.location("c.txt")
        let path = storage.tree.path(of: moved)
        try #require(try rename(storage.tree.path(of: storage.location("a.txt")).string, path.string) == 0)
        if isEdited { try storage.write("mine, and not sent", to: path) }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.moved.map(\.location) == [moved])
        #expect(report.missing == 0 && report.unknownFiles == [], "\(report)")
        let now = try storage.indexed("a")
        #expect(now.state == (isEdited ? .changed : .outdated))
        #expect(now.synced == known.synced && now.local?.inode == known.local?.inode)
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test(
        "DOWN-3, INV-1: so is one that was to be evicted, or for which newer contents were coming, when a program has made a folder in its place",
        arguments: [JournalStep.evictBegan, .materialiseBegan], [false, true])
    func movedAndReplacedByFolder(step: JournalStep, hasFolder: Bool) throws {
        let storage = try prepared()
        let known = try storage.indexed("a")
        if step == .evictBegan {
            storage.observe(StopAt(.evictBegan))
            #expect(throws: StoppedByObserver.self) { try storage.store.evict(known.id, in: storage.domain) }
        } else {
            try storage.tell(storage.item("a", "a.txt", contents: "newer", version: "2"))
            _ = try storage.store.beginMaterialising(known.id, in: storage.domain)
        }
        let moved = try storage.location("c.txt")
        let (old, path) = (storage.tree.path(of: try storage.location("a.txt")), storage.tree.path(of: moved))
        try #require(rename(old.string, path.string) == 0)
        if hasFolder { try #require(mkdir(old.string, 0o700) == 0) }
        try storage.write("mine, and not sent", to: path)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.moved.map(\.location) == [moved])
        #expect(report.missing == 0 && report.unknownFiles == [], "\(report)")
        let now = try storage.indexed("a")
        #expect(now.state == .changed && now.local?.inode == known.local?.inode)
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test(
        "What has another document's file in its place at the start follows its own, also to a folder that is none yet")
    func movedOver() throws {
        let storage = try prepared()
        let made = try storage.tree.path(of: storage.location("made"))
        try #require(mkdir(made.string, 0o700) == 0)
        let (a, b) = (try storage.location("a.txt"), try storage.location("b.txt"))
        try #require(rename(storage.tree.path(of: b).string, made.appending("b.txt").string) == 0)
        try #require(rename(storage.tree.path(of: a).string, storage.tree.path(of: b).string) == 0)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 0 && report.changed == 0 && report.unknownFiles == [])
        #expect(report.moved.map(\.id.rawValue) == ["a", "b"])
        #expect(try report.moved.map(\.location) == [b, storage.location("made/b.txt")])
        #expect(try storage.indexed("a").state == .materialised && storage.indexed("b").state == .materialised)
        #expect(try storage.document("b.txt") == "contents of a")
    }

    @Test("A file that was changed while no host ran is changed, with its base; a replaced one too")
    func changedFiles() throws {
        let storage = try prepared()
        try storage.write("other contents", to: storage.tree.path(of: storage.location("a.txt")))
        try storage.save("saved by an editor", to: storage.tree.path(of: storage.location("b.txt")))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.changed == 2)
        for id in ["a", "b"] {
            #expect(try storage.indexed(id).state == .changed)
            #expect(try storage.indexed(id).synced?.content == Array("1".utf8))
        }
        #expect(try storage.document("b.txt") == "saved by an editor")
    }

    @Test("INV-1: what was changed while no host ran counts as changed when it is on the disk, and not before")
    func changedFilesAreFlushed() throws {
        let storage = try prepared()
        try storage.write("other contents", to: storage.tree.path(of: storage.location("a.txt")))
        try storage.reopen()
        let failing = FaultPlan()
        failing.fail(.flush, with: EIO)
        try FaultPlan.$current.withValue(failing) { _ = try storage.store.reconcile() }
        #expect(failing.calls.contains(.flush))
        #expect(try storage.indexed("a").state == .materialised)
        let plan = FaultPlan()
        let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
        #expect(report.changed == 1)
        let flushed = try #require(plan.calls.firstIndex(of: .flush))
        #expect(flushed < (try #require(plan.calls.firstIndex(of: .flushLog))))
        #expect(try storage.indexed("a").state == .changed)
    }

    @Test(
        "VER-2: what lies at a document's place since before its contents came, as after a power failure, does not go over them"
    )
    func olderFile() throws {
        let storage = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        let old = path.string + ".old"
        try storage.write("removed once", to: FilePath(old))
        #expect(rename(old, path.string) == 0)
        // The index was on the disk, and neither the old file's removal nor the new one's name.
        try storage.index.write { index in
            var local = try #require(try index.item(ItemIdentifier("a"), in: storage.domain)?.local)
            local.changed = Timestamp(seconds: local.changed.seconds + 3600)
            try index.setFile(local, of: ItemIdentifier("a"), in: storage.domain)
        }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(
            report.findings == [
                "work:/a.txt has contents that were here before those that came last: they are compared with the remote's."
            ])
        let item = try storage.indexed("a")
        #expect(item.state == .changed)
        // Nobody says that it began from what the remote has.
        #expect(item.synced?.content == [])
        #expect(try storage.document("a.txt") == "removed once")
    }

    @Test("XFER-10: a change that keeps size and time of modification is found at the start, too; reading is none")
    func changedKeepingTime() throws {
        let storage = try prepared()
        try storage.overwriteKeepingTime("CONTENTS", storage.tree.path(of: storage.location("a.txt")))
        #expect(try storage.document("b.txt") == "contents of b")
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.changed == 1)
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.document("a.txt") == "CONTENTS of a")
        #expect(try storage.indexed("b").state == .materialised)
    }

    #if DEBUG
        @Test("INV-8: at the start, an untouched document costs one look at its state; a placeholder none")
        func costOfTheStart() throws {
            func calls(_ body: (StorageFixture) throws -> Void) throws -> Int {
                let storage = try prepared()
                try body(storage)
                try storage.reopen()
                let plan = FaultPlan()
                let report = try FaultPlan.$current.withValue(plan) { try storage.store.reconcile() }
                #expect(report.findings == [])
                return plan.calls.filter { [.status, .open, .getAttribute, .read].contains($0) }.count
            }
            let few = try calls { _ in }
            let many = try calls { storage in
                for number in 0..<50 {
                    let item = try storage.item("m\(number)", "m\(number).txt", contents: "hello")
                    try storage.tell(item)
                    try storage.provide(item, "hello")
                }
            }
            #expect(many - few == 50)
            let placeholders = try calls { storage in
                for number in 0..<50 {
                    try storage.tell(storage.item("p\(number)", "p\(number).txt", contents: "hello"))
                }
            }
            #expect(placeholders == few)
        }
    #endif

    @Test(
        "Files that belong to no item are reported, and neither adopted nor removed; so is one at a placeholder's place"
    )
    func unknownFiles() throws {
        let storage = try prepared()
        try storage.tell(storage.item("p", "p.txt", contents: "12345"))
        try storage.write("stranger", to: storage.tree.path(of: storage.location("stranger.txt")))
        try storage.write("at p's place", to: storage.tree.path(of: storage.location("p.txt")))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(Set(report.unknownFiles.map(\.description)) == ["work:/stranger.txt", "work:/p.txt"])
        #expect(try storage.document("p.txt") == "at p's place")
        #expect(try storage.indexed("p").state == .placeholder)

        // It is in the way of the contents, and stays.
        let coming = try storage.store.beginMaterialising(ItemIdentifier("p"), in: storage.domain)
        try storage.write("12345", to: coming.file.path)
        let error = #expect(throws: DocumentError.self) {
            try storage.store.finish(coming, as: storage.item("p", "p.txt", contents: "12345"))
        }
        #expect(error?.code == .destinationExists)
        try storage.store.abandon(coming, because: error)
        #expect(try storage.document("p.txt") == "at p's place")
        #expect(try storage.indexed("p").state == .placeholder)
        #expect(try storage.indexed("p").problem?.code == .destinationExists)
    }

    @Test("Contents with the item's stamp are adopted at the item's own place, and nowhere else")
    func adoption() throws {
        let storage = try prepared()
        // As if the index had lost the rows' knowledge of their files.
        try storage.index.write { index in
            for id in ["a", "b"] { try index.setPlaceholder(ItemIdentifier(id), in: storage.domain) }
        }
        let here = try storage.tree.path(of: storage.location("b.txt"))
        let elsewhere = try storage.tree.path(of: storage.location("elsewhere.txt"))
        try FileSystemMoves.rename(here, elsewhere)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.adopted == 1)
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.indexed("a").synced == storage.item("a", "a.txt").version)
        #expect(try storage.indexed("b").state == .placeholder)
        #expect(report.unknownFiles.map(\.description) == ["work:/elsewhere.txt"])
    }

    @Test("A copy of the root, with other inodes and times of change, is in sync")
    func restoredFromACopy() throws {
        let storage = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        let copy = storage.folder.appending("copy")
        try FileSystemMoves.copyWithAttributes(path, copy)
        try FileSystemMoves.rename(copy, path)
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.indexed("a").state == .materialised)
        let file = try storage.tree.file(at: storage.location("a.txt"))
        #expect(try storage.indexed("a").local?.inode == file?.inode)
    }

    @Test("Unusable things in the tree are named and left alone")
    func unusable() throws {
        let storage = try prepared()
        let folder = storage.rootPath.appending("documents/work")
        try FileSystemMoves.link("/etc/passwd", folder.appending("link"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.findings.contains { $0.contains("documents/work/link cannot be an item") })
        #expect(report.unknownFiles.isEmpty)
    }

    @Test("A user's link in an item's place is not followed, and the item is a placeholder")
    func linkInPlace() throws {
        let storage = try prepared()
        let path = try storage.tree.path(of: storage.location("a.txt"))
        TemporaryFolder.remove(path)
        try FileSystemMoves.link("/etc/passwd", path)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(report.findings.contains { $0.contains("should be a document") })
    }

    @Test("Leftovers in staging are swept, and never adopted")
    func sweeping() throws {
        let storage = try prepared()
        try storage.tell(storage.item("c", "c.txt", contents: "123"))
        let coming = try storage.store.beginMaterialising(ItemIdentifier("c"), in: storage.domain)
        try storage.write("123", to: coming.file.path)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.swept == 1)
        #expect(try storage.read(coming.file.path) == nil)
        #expect(try storage.indexed("c").state == .placeholder)
    }

    @Test("Placeholders that are missing, torn, or stand for nothing are mended on request")
    func mendPlaceholders() throws {
        let storage = try prepared()
        try storage.tell(
            storage.item("é", "é"), storage.item("q", "q.txt"), storage.item("r", "r.txt"), storage.item("s", "s.txt"))
        let stray = try #require(Placeholder(storage.item("x", "e\u{301}")))
        try storage.root.placeholders.write(stray, at: storage.location("e\u{301}"))
        try storage.root.placeholders.remove(at: storage.location("q.txt"))
        try storage.write("", to: #require(storage.tree.placeholderPath(of: storage.location("r.txt"))))
        #expect(try storage.store.mendPlaceholders(of: .root, in: storage.domain) == 3)
        for path in ["é", "q.txt", "r.txt", "s.txt"] { #expect(try storage.placeholder(path) != nil, "\(path)") }
        #expect(try storage.placeholder("e\u{301}") == nil)
        #expect(try storage.placeholder("a.txt") == nil)
        #expect(try storage.store.mendPlaceholders(of: .root, in: storage.domain) == 0)
    }

    @Test("Starting does not look at placeholders: what is missing of them stays so until somebody asks")
    func manyPlaceholders() throws {
        let storage = try prepared()
        try storage.index.write(durably: false) { index in
            let items = try (1...2000).map { try storage.item("p\($0)", "placeholder \($0).txt", size: 10) }
            _ = try index.apply(items, in: storage.domain)
        }
        try storage.reopen()
        #expect(try storage.store.reconcile().findings == [])
        for number in [1, 1000, 2000] { #expect(try storage.placeholder("placeholder \(number).txt") == nil) }
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 2002)
        #expect(try storage.store.mendPlaceholders(of: .root, in: storage.domain) >= 2000)
        #expect(try storage.placeholder("placeholder 2000.txt") != nil)
    }
}
