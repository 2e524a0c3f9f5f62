import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Full listings of folders, page by page.
struct ItemIndexListingTests {
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
}
