import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentStorage

struct ItemIndexTests {
    @Test("Identifiers and names come back byte by byte, and other Unicode forms are other identifiers")
    func bytes() throws {
        let storage = try StorageFixture()
        let composed = try storage.item("é", "é.txt")
        let decomposed = try storage.item("e\u{301}", "another e\u{301}.txt")
        let odd = try storage.item("new\nline\u{1}", "  spaces  ")
        try storage.tell(composed, decomposed, odd)
        for item in [composed, decomposed, odd] {
            let found = try #require(try storage.index.read { try $0.item(item.id, in: storage.domain) })
            #expect(found.item == item)
            #expect(found.item.id.rawValue.utf8.elementsEqual(item.id.rawValue.utf8))
            #expect(try #require(found.item.name).rawValue.utf8.elementsEqual(#require(item.name).rawValue.utf8))
        }
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 3)
    }

    @Test("However often the index is written, telling of it takes no more of the stack than the first time")
    func manyWrites() throws {
        let storage = try StorageFixture()
        let (writes, changes) = (StackMarks(), StackMarks())
        storage.index.onWrite { writes.mark() }
        storage.index.observeChanges { _ in changes.mark() }
        for size in 1...200 {
            var item = try storage.item("a", "a.txt")
            item.size = Int64(size)
            item.version = try ItemVersion(content: [UInt8(size)], metadata: [])
            try storage.tell(item)
        }
        for stack in [writes, changes] {
            #expect(stack.count >= 200)
            #expect(stack.growth < 1024)
        }
    }

    @Test("All of an item's metadata comes back")
    func metadata() throws {
        let storage = try StorageFixture()
        var item = try storage.item("a", "a.bin")
        item.size = nil
        item.kind = .package
        item.contentType = try ContentType("com.example.thing")
        item.modified = Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)
        item.created = Timestamp(seconds: -62_135_596_800)
        item.version = try ItemVersion(content: [], metadata: [UInt8](0..<128))
        item.capabilities = .readOnly
        try storage.tell(item)
        #expect(try storage.indexed("a").item == item)
        item.size = .max
        item.version = try ItemVersion(content: [0, 255], metadata: [])
        let outcome = try storage.tell(item)
        #expect(outcome.updated == 1)
        #expect(try storage.indexed("a").item == item)
        #expect(try storage.tell(item).unchanged == 1)
    }

    @Test("Items are found by location, and have the one they were found by (PROV-5, PROV-6)")
    func locations() throws {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("f", "Reports", kind: .folder), storage.item("g", "2024", in: "f", kind: .folder),
            storage.item("q", "q3.pdf", in: "g"))
        let location = try storage.location("Reports/2024/q3.pdf")
        try storage.index.read { index throws -> Void in
            #expect(try index.item(at: location)?.id.rawValue == "q")
            #expect(try index.location(of: ItemIdentifier("q"), in: storage.domain) == location)
            #expect(try index.item(at: storage.location("Reports/2024/Q3.PDF")) == nil)
            #expect(try index.item(at: storage.location("Reports/q3.pdf")) == nil)
            #expect(try index.item(at: Location(domain: storage.domain))?.id == .root)
            #expect(try index.location(of: .root, in: storage.domain) == Location(domain: storage.domain))
        }
    }

    @Test("Children come in pages by name, each once, also while others come and go")
    func pages() throws {
        let storage = try StorageFixture()
        let names = (0..<250).map { "n\($0)" }
        for name in names { try storage.tell(storage.item(name, name)) }
        var seen: [String] = []
        var cursor: ChildCursor?
        repeat {
            let page = try storage.index.read {
                try $0.children(of: .root, in: storage.domain, after: cursor, limit: 20)
            }
            #expect(page.items.count <= 20)
            seen += page.items.map(\.id.rawValue)
            if seen.count == 100 {
                _ = try storage.index.write { try $0.delete([ItemIdentifier(seen[99])], in: storage.domain) }
                try storage.tell(storage.item("early", "a"), storage.item("late", "zzz"))
            }
            cursor = page.next
        } while cursor != nil
        #expect(seen.count == 251)
        #expect(Set(seen) == Set(names + ["late"]))
        #expect(seen == seen.sorted { $0 == "late" ? false : $1 == "late" ? true : $0 < $1 })
    }

    @Test("Paging uses the index of names and never sorts")
    func pagingPlan() throws {
        let storage = try StorageFixture()
        let plan = try storage.index.read { index in
            try index.sql.all(
                "EXPLAIN QUERY PLAN " + ItemRow.columns
                    + " WHERE item.parent = 1 AND (item.name_key, item.row) > ('', 0) ORDER BY item.name_key, item.row LIMIT 5"
            ) { $0.text(3) }
        }
        #expect(plan.contains { $0.contains("item_children") })
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN item") })
        let present = try storage.index.read { index in
            try index.sql.all(
                "EXPLAIN QUERY PLAN " + ItemRow.columns
                    + " WHERE item.domain = 1 AND item.state <> 0 AND item.row > 0 ORDER BY item.row LIMIT 5"
            ) { $0.text(3) }
        }
        #expect(present.contains { $0.contains("item_present") })
        #expect(!present.contains { $0.contains("TEMP B-TREE") })
    }

    // MARK: Listing

    private func list(_ storage: StorageFixture, _ pages: [[Item]], complete: Bool = true) throws -> ApplyOutcome {
        let generation = try storage.store.beginListing(of: .root, in: storage.domain)
        var last = ApplyOutcome()
        for (number, items) in pages.enumerated() {
            let isLast = complete && number == pages.count - 1
            let page = ItemPage(items: items, next: isLast ? nil : try PageToken([1]))
            last = try storage.store.apply(page, of: .root, in: storage.domain, generation: generation)
        }
        return last
    }

    @Test("A full listing deletes what it has not shown, and only when it is complete")
    func listing() throws {
        let storage = try StorageFixture()
        let items = try (0..<10).map { try storage.item("i\($0)", "n\($0)") }
        _ = try list(storage, [Array(items[..<5]), Array(items[5...])])
        #expect(try storage.index.read { try $0.listing(of: .root, in: storage.domain) }.isComplete)
        #expect(try storage.placeholder("n9") != nil)

        _ = try list(storage, [Array(items[..<3])], complete: false)
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 10)
        #expect(try storage.index.read { try $0.listing(of: .root, in: storage.domain) }.nextPage != nil)

        let outcome = try list(storage, [Array(items[..<3]), []])
        #expect(outcome.deleted == 7)
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 3)
        #expect(try storage.placeholder("n9") == nil)
        #expect(try storage.placeholder("n2") != nil)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A listing that was overtaken by another one is refused")
    func overtaken() throws {
        let storage = try StorageFixture()
        let first = try storage.store.beginListing(of: .root, in: storage.domain)
        _ = try storage.store.beginListing(of: .root, in: storage.domain)
        let error = #expect(throws: DocumentError.self) {
            try storage.store.apply(ItemPage(items: []), of: .root, in: storage.domain, generation: first)
        }
        #expect(error?.code == .pageExpired)
    }

    @Test("What is made or moved in during a listing is not deleted by its end")
    func duringListing() throws {
        let storage = try StorageFixture()
        let shown = try storage.item("a", "a")
        try storage.tell(storage.item("f", "F", kind: .folder), storage.item("m", "moved", in: "f"))
        let generation = try storage.store.beginListing(of: .root, in: storage.domain)
        _ = try storage.store.apply(
            ItemPage(items: [shown], next: PageToken([1])), of: .root, in: storage.domain, generation: generation)
        try storage.tell(storage.item("new", "new"), storage.item("m", "moved", version: "2"))
        _ = try storage.store.apply(
            ItemPage(items: [storage.item("f", "F", kind: .folder)]), of: .root, in: storage.domain,
            generation: generation)
        for id in ["a", "f", "m", "new"] { #expect(throws: Never.self) { try storage.indexed(id) } }
    }

    @Test("VER-15: what a listing no longer shows and holds unsent changes stays changed, to be made anew")
    func unseenWithEdits() throws {
        let storage = try StorageFixture()
        let (a, b) = (try storage.item("a", "a.txt", contents: "one"), try storage.item("b", "b.txt", contents: "two"))
        _ = try list(storage, [[a, b]])
        try storage.provide(a, "one")
        try storage.provide(b, "two")
        try storage.edit("a", "edited")
        _ = try list(storage, [[]])
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").isGone)
        #expect(try storage.document("a.txt") == "edited")
        #expect(try storage.document("b.txt") == nil)
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
        // It comes back, and is no longer gone.
        try storage.tell(a)
        #expect(try !storage.indexed("a").isGone)
    }

    @Test("An item that says it lies in another folder than the one listed is kept out")
    func foreignChild() throws {
        let storage = try StorageFixture()
        let outcome = try list(storage, [[storage.item("x", "x", in: "elsewhere"), storage.item("y", "y")]])
        #expect(outcome.rejected.map(\.id.rawValue) == ["x"])
        #expect(outcome.rejected.first?.error.code == .contractBroken)
        #expect(try storage.index.read { try $0.counts(of: storage.domain) }.documents == 1)
    }

    // MARK: Trees

    @Test("Orphans, cycles, and things in documents are kept out with an error")
    func brokenTrees() throws {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("f", "F", kind: .folder), storage.item("g", "G", in: "f", kind: .folder),
            storage.item("d", "doc"))
        for item in [
            try storage.item("o", "orphan", in: "nobody"), try storage.item("c", "c", in: "c", kind: .folder),
            try storage.item("f", "F", in: "g", kind: .folder), try storage.item("f", "F", in: "f", kind: .folder),
            try storage.item("i", "in a document", in: "d"), try storage.item("/", "root", in: "f", kind: .folder),
        ] {
            let outcome = try storage.store.apply([item], in: storage.domain)
            #expect(outcome.rejected.count == 1, "\(item.id)")
            #expect(outcome.rejected.first?.error.code == .contractBroken)
        }
        #expect(
            try storage.index.read { try $0.location(of: ItemIdentifier("g"), in: storage.domain) }?.description
                == "work:/F/G")
        #expect(
            try storage.index.read { try $0.counts(of: storage.domain) }
                == ItemCounts(documents: 1, folders: 2, byState: [:]))
    }

    @Test("Items may come before their folders within one page")
    func childrenFirst() throws {
        let storage = try StorageFixture()
        let outcome = try storage.tell(
            storage.item("d", "doc", in: "g"), storage.item("g", "G", in: "f", kind: .folder),
            storage.item("f", "F", kind: .folder))
        #expect(outcome.rejected.isEmpty)
        #expect(
            try storage.index.read { try $0.location(of: ItemIdentifier("d"), in: storage.domain) }?.description
                == "work:/F/G/doc")
    }

    @Test("Folders that are nested without end are refused at a depth")
    func tooDeep() throws {
        let storage = try StorageFixture()
        var items = [try storage.item("0", "n", kind: .folder)]
        for depth in 1..<600 { items.append(try storage.item("\(depth)", "n", in: "\(depth - 1)", kind: .folder)) }
        let outcome = try storage.index.write { try $0.apply(items, in: storage.domain) }
        #expect(!outcome.rejected.isEmpty)
        #expect(outcome.inserted + outcome.rejected.count >= 512)
        // And can be removed as a whole.
        let removed = try storage.index.write { try $0.delete([ItemIdentifier("0")], in: storage.domain) }
        #expect(removed.deleted == outcome.inserted)
    }

    @Test("A deleted folder takes its items along, but not those that moved out in the same page")
    func deleteFolder() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", in: "f", contents: "hello")
        try storage.tell(storage.item("f", "F", kind: .folder), storage.item("b", "b.txt", in: "f"), item)
        try storage.provide(item, "hello")
        let changes = ItemChanges(
            updated: [try storage.item("a", "a.txt", contents: "hello")], deleted: [try ItemIdentifier("f")],
            anchor: try SyncAnchor([7]))
        _ = try storage.store.apply(changes, in: storage.domain)
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.document("a.txt") == "hello")
        #expect(throws: DocumentError.self) { try storage.indexed("b") }
        #expect(try storage.index.read { try $0.domain(storage.domain) }?.anchor?.bytes == [7])
        #expect(throws: Errno.self) { try FileSystemMoves.mode(of: storage.tree.path(of: storage.location("F"))) }
    }

    @Test("Documents that a remote rename finds materialised move along, alone and with their folder")
    func remoteRename() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", in: "f", contents: "hello")
        try storage.tell(storage.item("f", "F", kind: .folder), item)
        try storage.provide(item, "hello")
        try storage.tell(
            storage.item("f", "Renamed", kind: .folder), storage.item("a", "b.txt", in: "f", contents: "hello"))
        #expect(try storage.document("Renamed/b.txt") == "hello")
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.edit("a", "edited").state == .changed)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A newer version makes contents outdated; the old one again, current")
    func outdated() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        try storage.tell(storage.item("a", "a.txt", version: "2"))
        #expect(try storage.indexed("a").state == .outdated)
        #expect(try storage.document("a.txt") == "hello")
        try storage.tell(item)
        #expect(try storage.indexed("a").state == .materialised)
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "3")
        try storage.tell(newer)
        try storage.provide(newer, "newer")
        #expect(try storage.indexed("a").state == .materialised)
        #expect(try storage.document("a.txt") == "newer")
    }

    @Test("An edit made while a newer version comes is never overwritten")
    func editedWhileOutdated() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "hello")
        try storage.tell(item)
        try storage.provide(item, "hello")
        let newer = try storage.item("a", "a.txt", contents: "newer", version: "2")
        try storage.tell(newer)
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("newer", to: coming.file.path)
        try storage.write("edited", to: storage.tree.path(of: storage.location("a.txt")))
        let error = #expect(throws: DocumentError.self) { try storage.store.finish(coming, as: newer) }
        #expect(error?.code == .unsyncedEdits)
        try storage.store.abandon(coming, because: error)
        #expect(try storage.document("a.txt") == "edited")
        let changed = try storage.store.recordChange(of: item.id, in: storage.domain)
        #expect(changed.state == .changed)
        #expect(changed.synced == item.version)
    }

    @Test("Domains are apart, and one that is removed takes everything along")
    func domains() throws {
        let storage = try StorageFixture()
        let home = try DomainName("home")
        let provider = try ProviderIdentifier("org.example.other")
        try storage.index.write { index in
            try index.addDomain(
                DomainRecord(name: home, provider: provider, rootID: ItemIdentifier("top"), settings: ["a b:\n": "c"]))
            _ = try index.apply([storage.item("a", "a.txt", in: "top")], in: home)
            _ = try index.apply([storage.item("a", "a.txt", version: "9")], in: storage.domain)
        }
        try storage.index.read { index throws -> Void in
            #expect(try index.domains().map(\.name) == [home, storage.domain])
            #expect(try index.domain(home)?.settings == ["a b:\n": "c"])
            #expect(try index.item(ItemIdentifier("a"), in: home)?.item.version.content == Array("1".utf8))
            #expect(try index.item(ItemIdentifier("a"), in: storage.domain)?.item.version.content == Array("9".utf8))
        }
        let error = #expect(throws: DocumentError.self) {
            try storage.index.write { index in try index.addDomain(DomainRecord(name: home, provider: provider)) }
        }
        #expect(error?.code == .destinationExists)
        try storage.index.write { try $0.removeDomain(home) }
        let missing = #expect(throws: DocumentError.self) {
            try storage.index.read { try $0.item(ItemIdentifier("a"), in: home) }
        }
        #expect(missing?.code == .notConfigured)
        #expect(throws: Never.self) { try storage.indexed("a") }
    }

    @Test("A transaction whose body throws leaves nothing, the journal included")
    func rollback() throws {
        let storage = try StorageFixture()
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try storage.index.write { index in
                _ = try index.apply([storage.item("a", "a.txt")], in: storage.domain)
                _ = try index.begin(.evictBegan, item: nil, in: storage.domain, payload: JournalPayload())
                throw Failure()
            }
        }
        #expect(throws: DocumentError.self) { try storage.indexed("a") }
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A journal entry comes back as it was written")
    func journal() throws {
        let storage = try StorageFixture()
        var payload = JournalPayload()
        payload.operation = "op"
        payload.staging = "st"
        payload.file = FileIdentity(
            inode: .max, size: 5, modified: Timestamp(seconds: -3, nanoseconds: 7), changed: Timestamp(seconds: 9))
        payload.base = try ItemVersion(content: [0], metadata: [])
        payload.place = [try ItemName("e\u{301}"), try ItemName("b%:")]
        payload.destination = []
        payload.parentID = try ItemIdentifier("x/y\n")
        payload.name = try ItemName("n")
        payload.kind = .folder
        payload.source = [47, 255, 254]
        payload.boot = "b"
        payload.discardsEdits = true
        for step in JournalStep.allCases {
            let entry = try storage.index.write {
                try $0.begin(step, item: ItemIdentifier("a"), in: storage.domain, payload: payload)
            }
            #expect(try storage.index.read { try $0.journal() } == [entry])
            #expect(try storage.index.read { try $0.journal(of: ItemIdentifier("a"), in: storage.domain) } == [entry])
            #expect(entry.action == step.action)
            try storage.index.write { try $0.finish(entry) }
        }
        #expect(try JournalPayload(bytes: JournalPayload().bytes) == JournalPayload())
    }

    @Test("Counts follow every insertion and deletion")
    func counts() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: "x")
        try storage.tell(item, storage.item("f", "F", kind: .folder), storage.item("b", "b", in: "f"))
        try storage.provide(item, "x")
        #expect(
            try storage.index.read { try $0.counts(of: storage.domain) }
                == ItemCounts(documents: 2, folders: 1, byState: [.materialised: 1]))
        _ = try storage.index.write { try $0.delete([ItemIdentifier("f")], in: storage.domain) }
        #expect(
            try storage.index.read { try $0.counts(of: storage.domain) }
                == ItemCounts(documents: 1, folders: 0, byState: [.materialised: 1]))
    }
}
