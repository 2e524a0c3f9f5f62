import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import Testing

@testable import DocumentHost

/// What is remembered of items is never older than what was written last.
@Suite struct KnownItemsTests {
    private func withKnownItems(
        _ body: (KnownItems, StorageThreads, StorageFixture) throws -> Void
    ) throws {
        let fixture = try StorageFixture()
        let storage = StorageThreads(store: fixture.store, threads: 1)
        defer { storage.shutdown() }
        try body(KnownItems(storage: storage), storage, fixture)
    }

    @Test("COORD-7: an item that was written, moved or removed since is looked up anew, by its place and by itself")
    func invalidation() throws {
        try withKnownItems { known, _, fixture in
            let a = try fixture.item("a", "a.txt", contents: "one")
            try fixture.tell(a)
            let key = ItemKey(domain: fixture.domain, id: a.id)
            #expect(try known.item(key)?.item.state == .placeholder)
            try fixture.provide(a, "one")
            #expect(try known.item(key)?.item.state == .materialised)
            #expect(try known.item(at: fixture.location("a.txt"))?.status.item.size == 3)
            try fixture.edit("a", "three")
            #expect(try known.item(at: fixture.location("a.txt"))?.item.state == .changed)
            #expect(try known.item(key)?.status.item.size == 5)

            try fixture.tell(try fixture.item("f", "f", kind: .folder))
            let b = try fixture.item("b", "b.txt", contents: "b")
            try fixture.tell(b)
            let old = try fixture.location("b.txt")
            #expect(try known.item(at: old)?.key.id == b.id)
            try fixture.tell(try fixture.item("b", "c.txt", in: "f", contents: "b", version: "2"))
            #expect(try known.item(at: old) == nil)
            let moved = try #require(try known.item(at: fixture.location("f/c.txt")))
            #expect(moved.key.id == b.id && moved.coordinated.enclosing.count == 2)
            #expect(try known.item(at: fixture.location("none")) == nil)
        }
    }

    @Test("What is not written in between is looked up once, and more items than it keeps are all found")
    func remembering() throws {
        try withKnownItems { known, _, fixture in
            let items = try (0..<1_200).map { try fixture.item("\($0)", "\($0).txt") }
            _ = try fixture.store.apply(items, in: fixture.domain)
            let generation = fixture.index.generation
            for _ in 0..<2 {
                for number in 0..<1_200 {
                    #expect(try known.item(at: fixture.location("\(number).txt"))?.key.id.rawValue == "\(number)")
                }
            }
            #expect(fixture.index.generation == generation, "looking writes nothing")
        }
    }

    @Test("XFER-2: a file is as it was recorded until anybody writes it, replaces it or takes it away")
    func recorded() throws {
        try withKnownItems { _, storage, fixture in
            let a = try fixture.item("a", "a.txt", contents: "one")
            try fixture.tell(a)
            let place = try fixture.location("a.txt")
            #expect(!storage.isAsRecorded(try fixture.indexed("a"), at: place), "nothing is here")
            try fixture.provide(a, "one")
            let path = fixture.tree.path(of: place)
            #expect(storage.isAsRecorded(try fixture.indexed("a"), at: place))
            try fixture.write("two", to: path)
            #expect(!storage.isAsRecorded(try fixture.indexed("a"), at: place))
            _ = try fixture.store.recordChange(of: a.id, in: fixture.domain)
            #expect(storage.isAsRecorded(try fixture.indexed("a"), at: place))
            try fixture.save("two", to: path)
            #expect(!storage.isAsRecorded(try fixture.indexed("a"), at: place))
            _ = try fixture.store.recordChange(of: a.id, in: fixture.domain)
            TemporaryFolder.remove(path)
            #expect(!storage.isAsRecorded(try fixture.indexed("a"), at: place))
        }
    }
}
