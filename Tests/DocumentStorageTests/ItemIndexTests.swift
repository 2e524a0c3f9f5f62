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
