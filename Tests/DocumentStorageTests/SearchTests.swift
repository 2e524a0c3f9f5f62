import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Looking for items by their names in the index.
struct SearchTests {
    /// Folders in folders, a package, and names that differ by case and Unicode form.
    private func fixture() throws -> StorageFixture {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("f", "Reports", kind: .folder), storage.item("g", "Old", in: "f", kind: .folder),
            storage.item("p", "Report.rtfd", in: "f", kind: .package),
            storage.item("a", "Report Q3.pdf", in: "f"), storage.item("b", "report q1.pdf", in: "g"),
            storage.item("c", "report of a part.txt", in: "p"), storage.item("d", "Résumé Report.txt"),
            storage.item("e", "letter.txt"))
        return storage
    }

    private func found(
        _ words: [String], below folder: String? = nil, in storage: StorageFixture, limit: Int = 100,
        reach: Int64 = IndexReader.searchReach
    ) throws -> [String] {
        var (paths, after, pages) = ([String](), Int64(0), 0)
        repeat {
            let page = try storage.index.read {
                try $0.items(
                    named: words.map { FoldedName(text: $0).text },
                    below: folder.map { try ItemIdentifier($0) } ?? .root, in: storage.domain, after: after,
                    limit: limit, reach: reach)
            }
            #expect(page.items.count <= limit)
            paths += page.items.map(\.location.relativePath)
            after = page.next ?? 0
            pages += 1
        } while after != 0 && pages < 100
        return paths.sorted()
    }

    @Test("PICK-20: all words are in the name, whatever their case and form; parts of a package are not found")
    func words() throws {
        let storage = try fixture()
        #expect(
            try found(["REPORT"], in: storage) == [
                "Reports", "Reports/Old/report q1.pdf", "Reports/Report Q3.pdf", "Reports/Report.rtfd",
                "Résumé Report.txt",
            ])
        #expect(
            try found(["report", "PDF"], in: storage) == ["Reports/Old/report q1.pdf", "Reports/Report Q3.pdf"])
        #expect(try found(["resume\u{301}"], in: storage) == [])
        #expect(try found(["re\u{301}sume\u{301}"], in: storage) == ["Résumé Report.txt"])
        #expect(try found(["%"], in: storage) == [] && found(["_"], in: storage) == [])
    }

    @Test("PICK-20: a search stays below its folder, and in its domain")
    func below() throws {
        let storage = try fixture()
        #expect(
            try found(["report"], below: "f", in: storage) == [
                "Reports/Old/report q1.pdf", "Reports/Report Q3.pdf", "Reports/Report.rtfd",
            ])
        #expect(try found(["report"], below: "g", in: storage) == ["Reports/Old/report q1.pdf"])
        #expect(throws: DocumentError.self) { try found(["report"], below: "unknown", in: storage) }
    }

    @Test("PICK-20: whatever the size of the pages and of a look, each item is found once")
    func pages() throws {
        let storage = try fixture()
        let all = try found(["r"], in: storage)
        for (limit, reach) in [(1, 1), (2, 3), (1, 50), (100, 2)] as [(Int, Int64)] {
            #expect(try found(["r"], in: storage, limit: limit, reach: reach) == all, "\(limit) \(reach)")
        }
    }

    @Test("PICK-20: a search says whether it passed folders that were never listed")
    func unlisted() throws {
        let storage = try fixture()
        func isIncomplete(_ folder: ItemIdentifier) throws -> Bool {
            try storage.index.read {
                try $0.items(named: ["x"], below: folder, in: storage.domain, limit: 10).isIncomplete
            }
        }
        #expect(try isIncomplete(.root))
        for folder in [ItemIdentifier.root, try ItemIdentifier("f"), try ItemIdentifier("g")] {
            let children = try storage.index.read { try $0.children(of: folder, in: storage.domain, limit: 100) }
            let generation = try storage.store.beginListing(of: folder, in: storage.domain)
            let page = ItemPage(items: children.items.map(\.item))
            _ = try storage.store.apply(page, of: folder, in: storage.domain, generation: generation)
        }
        #expect(try !isIncomplete(.root) && !isIncomplete(ItemIdentifier("f")))
        try storage.tell(storage.item("h", "New", in: "g", kind: .folder))
        #expect(try isIncomplete(.root) && isIncomplete(ItemIdentifier("g")))
    }

    @Test("PICK-20: what is gone, and what is not shown because of its name, is not found")
    func hidden() throws {
        let storage = try fixture()
        try storage.tell(storage.item("x", "REPORT Q3.PDF", in: "f"))
        #expect(try found(["q3"], in: storage) == ["Reports/Report Q3.pdf"])
        let changes = ItemChanges(
            updated: [], deleted: [try ItemIdentifier("b")], anchor: try SyncAnchor([1]), more: false)
        _ = try storage.store.apply(changes, in: storage.domain, holding: false)
        #expect(try found(["q1"], in: storage) == [])
    }
}
