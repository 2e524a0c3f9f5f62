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

    @Test(
        "COORD-7: what a transfer has seen of an item is known without another look, unless somebody has written since")
    func seen() throws {
        try withKnownItems { known, _, fixture in
            func come(_ id: String, _ body: () throws -> Void = {}) throws -> KnownItem? {
                let item = try fixture.item(id, "\(id).txt", contents: "one")
                try fixture.tell(item)
                let coming = try fixture.store.beginMaterialising(item.id, in: fixture.domain)
                try fixture.write("one", to: coming.file.path)
                let (now, seen, generation) = try fixture.store.finish(coming, as: item) { item, index in
                    try KnownItem(item, index, in: fixture.root)
                }
                #expect(now.state == .materialised)
                try body()
                let found = try #require(seen)
                known.keep(found, as: generation)
                #expect(found.item == now && found.status.state == .materialised)
                return try known.item(ItemKey(domain: fixture.domain, id: item.id)) === found ? found : nil
            }
            let first = try #require(try come("a"))
            #expect(try known.item(at: fixture.location("a.txt")) === first)
            let second = try come("b") {
                try fixture.index.write { try $0.setPaused(true, of: .root, in: fixture.domain) }
            }
            #expect(second == nil)
            #expect(try known.item(at: fixture.location("b.txt"))?.status.marks.isPaused == true)
        }
    }

    @Test("COORD-7: contents that come of one document leave what is known of others, and nothing else does")
    func others() throws {
        try withKnownItems { known, _, fixture in
            let (a, b) = (
                try fixture.item("a", "a.txt", contents: "one"), try fixture.item("b", "b.txt", contents: "one")
            )
            try fixture.tell(a, b)
            let key = ItemKey(domain: fixture.domain, id: b.id)
            let first = try #require(try known.item(key))
            let coming = try fixture.store.beginMaterialising(a.id, in: fixture.domain)
            #expect(try known.item(key) === first)
            #expect(try known.item(ItemKey(domain: fixture.domain, id: a.id))?.item.state == .materialising)
            try fixture.write("one", to: coming.file.path)
            _ = try fixture.store.finish(coming, as: a)
            #expect(try known.item(at: fixture.location("b.txt")) === first)
            #expect(try known.item(at: fixture.location("a.txt"))?.item.state == .materialised)

            // What comes with news of the document may be about anything.
            _ = try fixture.store.evict(a.id, in: fixture.domain)
            let second = try #require(try known.item(key))
            #expect(second !== first)
            let again = try fixture.store.beginMaterialising(a.id, in: fixture.domain)
            try fixture.write("three", to: again.file.path)
            _ = try fixture.store.finish(again, as: fixture.item("a", "c.txt", contents: "three", version: "2"))
            #expect(try known.item(key) !== second)
            #expect(try known.item(at: fixture.location("a.txt")) == nil)
            #expect(try known.item(at: fixture.location("c.txt"))?.item.state == .materialised)

            // More writes than are remembered.
            let third = try #require(try known.item(key))
            for _ in 0..<70 {
                let coming = try fixture.store.beginMaterialising(a.id, in: fixture.domain)
                try fixture.store.abandon(coming, because: nil)
            }
            #expect(try known.item(key) !== third)
        }
    }

    @Test("What is known of an item says the same as the index, also in folders and of names that are not shown")
    func sameAsIndex() throws {
        try withKnownItems { known, storage, fixture in
            try fixture.tell(try fixture.item("f", "f", kind: .folder))
            try fixture.tell(try fixture.item("p", "p", in: "f", kind: .package))
            for (id, name) in [("a", "a.txt"), ("b", "A.TXT")] {
                try fixture.tell(try fixture.item(id, name, in: "p", contents: "1"))
            }
            for id in ["/", "f", "p", "a", "b"] {
                let key = ItemKey(domain: fixture.domain, id: try ItemIdentifier(id))
                let found = try #require(try known.item(key))
                try storage.read { index in
                    #expect(try index.coordinated(found.item) == found.coordinated)
                    let place = try index.shownLocation(of: found.item) ?? Location(domain: key.domain)
                    #expect(place == found.status.location)
                    let wanted = try index.wanted(key.id, in: key.domain)
                    #expect(wanted?.item == found.item && wanted?.operation == found.wantedOperation)
                }
            }
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
