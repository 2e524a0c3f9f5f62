import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@Suite("What people have said about items, and when those were used")
struct MarksTests {
    /// `/box` with `a` in it, and `/b`.
    private func fixture() throws -> StorageFixture {
        let storage = try StorageFixture()
        try storage.tell(
            storage.item("box", "box", kind: .folder), storage.item("a", "a.txt", in: "box", contents: "aaa"),
            storage.item("b", "b.txt", contents: "bbbb"))
        return storage
    }

    private func marks(_ storage: StorageFixture, _ id: String) throws -> ItemMarks {
        let item = try storage.indexed(id)
        return try storage.index.read { try $0.marks(of: item) }
    }

    @Test("PH-9: a mark holds for everything below, until something nearer says otherwise; also after a restart")
    func inheriting() throws {
        let storage = try fixture()
        let (domain, box, a) = (storage.domain, try ItemIdentifier("box"), try ItemIdentifier("a"))
        #expect(try marks(storage, "a") == ItemMarks())
        try storage.index.write { try $0.setKeeping(.pinned, of: box, in: domain) }
        #expect(try marks(storage, "box") == ItemMarks(own: .pinned, keeping: .pinned))
        #expect(try marks(storage, "a") == ItemMarks(keeping: .pinned))
        #expect(try marks(storage, "b") == ItemMarks())
        try storage.index.write { index in
            try index.setKeeping(.onlineOnly, of: a, in: domain)
            try index.setPaused(true, of: .root, in: domain)
        }
        try storage.reopen()
        #expect(try marks(storage, "a") == ItemMarks(own: .onlineOnly, keeping: .onlineOnly, isPaused: true))
        #expect(try marks(storage, "b") == ItemMarks(isPaused: true))
        #expect(try storage.index.read { try $0.markedItems(in: domain) }.count == 3)
        // The provider tells of it anew: what people said stays.
        try storage.tell(storage.item("a", "c.txt", in: "box", contents: "new", version: "2"))
        #expect(try marks(storage, "a").own == .onlineOnly)
        try storage.index.write { index in
            for id in [box, a] { try index.setKeeping(nil, of: id, in: domain) }
            try index.setPaused(false, of: .root, in: domain)
        }
        #expect(try storage.index.read { try !$0.hasMarks(in: domain) })
    }

    @Test(
        "XFER-12: what is pinned or excluded by a folder around it is not evicted",
        arguments: [Keeping.pinned, .excluded])
    func evicting(keeping: Keeping) throws {
        let storage = try fixture()
        let item = try storage.provide(storage.item("a", "a.txt", in: "box", contents: "aaa"), "aaa")
        try storage.index.write { try $0.setKeeping(keeping, of: ItemIdentifier("box"), in: storage.domain) }
        #expect(throws: DocumentError.self) { try storage.store.evict(item.id, in: storage.domain) }
        #expect(try storage.document("box/a.txt") == "aaa")
        try storage.index.write { try $0.setKeeping(.onlineOnly, of: item.id, in: storage.domain) }
        #expect(try storage.store.evict(item.id, in: storage.domain).local == nil)
    }

    @Test("XFER-14: each way of keeping holds for what is below; the nearest one wins, also after a restart")
    func ways() throws {
        let storage = try fixture()
        let (domain, box, a) = (storage.domain, try ItemIdentifier("box"), try ItemIdentifier("a"))
        for around in Keeping.allCases {
            try storage.index.write { try $0.setKeeping(around, of: .root, in: domain) }
            for id in ["box", "a", "b"] { #expect(try marks(storage, id) == ItemMarks(keeping: around)) }
            for nearest in Keeping.allCases {
                try storage.index.write { try $0.setKeeping(nearest, of: box, in: domain) }
                try storage.reopen()
                #expect(try marks(storage, "a") == ItemMarks(keeping: nearest))
                #expect(try marks(storage, "b") == ItemMarks(keeping: around))
                #expect(try storage.index.read { try $0.isAnythingKept(nearest) && $0.isAnythingKept(around) })
            }
            try storage.index.write { try $0.setKeeping(nil, of: box, in: domain) }
            #expect(try marks(storage, "a") == ItemMarks(keeping: around))
        }
        try storage.index.write { index in
            try index.setKeeping(nil, of: .root, in: domain)
            try index.setPaused(true, of: a, in: domain)
        }
        for keeping in Keeping.allCases { #expect(try storage.index.read { try !$0.isAnythingKept(keeping) }) }
    }

    @Test("XFER-14, XFER-12: outdated contents leave only where that was said, and nothing speaks against it")
    func outdated() throws {
        let storage = try fixture()
        let item = try storage.item("a", "a.txt", in: "box", contents: "aaa")
        try storage.provide(item, "aaa")
        let domain = storage.domain
        func evict() throws -> Bool { try storage.store.evictOutdated(item.id, in: domain) }
        func keep(_ keeping: Keeping?, _ id: String) throws {
            try storage.index.write { try $0.setKeeping(keeping, of: ItemIdentifier(id), in: domain) }
        }
        try keep(.whileCurrent, "box")
        #expect(try !evict(), "it is current")
        try storage.tell(storage.item("a", "a.txt", in: "box", contents: "newer", version: "2"))
        #expect(try storage.indexed("a").state == .outdated)
        for nearer in Keeping.allCases where nearer != .whileCurrent {
            try keep(nearer, "a")
            #expect(try !evict(), "\(nearer)")
        }
        try keep(nil, "a")
        try storage.index.write { try $0.setPaused(true, of: .root, in: domain) }
        #expect(try !evict(), "newer ones could not come")
        try storage.index.write { try $0.setPaused(false, of: .root, in: domain) }
        let path = try storage.tree.path(of: storage.location("box/a.txt"))
        let link = storage.folder.appending("other-name")
        try FileSystemMoves.hardLink(path, link)
        #expect(throws: DocumentError.self) { try evict() }
        try #require(unlink(link.string) == 0)
        let file = try FileDescriptor.open(path, .readOnly)
        #expect(throws: DocumentError.self) { try evict() }
        try file.close()
        #expect(try storage.document("box/a.txt") == "aaa")
        #expect(try evict())
        #expect(try storage.indexed("a").state == .placeholder && storage.document("box/a.txt") == nil)
        #expect(try !evict(), "it has left")
        #expect(try !storage.store.evictOutdated(ItemIdentifier("none"), in: domain))
    }

    @Test("XFER-10: what was changed here is not let go, though the remote has newer contents, noticed or not")
    func outdatedAndChanged() throws {
        let storage = try fixture()
        let item = try storage.item("a", "a.txt", in: "box", contents: "aaa")
        try storage.provide(item, "aaa")
        try storage.index.write { try $0.setKeeping(.whileCurrent, of: .root, in: storage.domain) }
        try storage.tell(storage.item("a", "a.txt", in: "box", contents: "newer", version: "2"))
        try storage.write("mine", to: storage.tree.path(of: storage.location("box/a.txt")))
        #expect(throws: DocumentError.self) { try storage.store.evictOutdated(item.id, in: storage.domain) }
        #expect(try !storage.store.evictOutdated(item.id, in: storage.domain))
        #expect(try storage.document("box/a.txt") == "mine")
    }

    @Test("XFER-14: documents are found in the order of their last use, page by page, and counted")
    func used() throws {
        let storage = try fixture()
        var ids: [ItemIdentifier] = []
        for number in 0..<5 {
            let item = try storage.item("d\(number)", "d\(number).txt", contents: "12345")
            try storage.tell(item)
            try storage.provide(item, "12345")
            ids.append(item.id)
        }
        let times = zip(ids, [50, 10, 40, 20, 30]).map { (id: $0, domain: storage.domain, seconds: Int64($1)) }
        try storage.index.write { try $0.setUsed(times) }
        // Nothing is older than it was.
        try storage.index.write { try $0.setUsed([(id: ids[0], domain: storage.domain, seconds: 1)]) }
        var found: [String] = []
        var cursor: UseCursor? = .start
        while let after = cursor {
            let page = try storage.index.read { try $0.leastRecentlyUsed(after: after, limit: 2) }
            found += page.items.map(\.id.rawValue)
            cursor = page.next
        }
        #expect(found == ["d1", "d3", "d4", "d2", "d0"])
        let here = try storage.index.read { try $0.contentsHere(of: storage.domain) }
        #expect(here.documents == 5 && here.bytes == 25)
        let limits = try SpaceLimits(high: 20, low: 10)
        try storage.index.write { try $0.setSpaceLimits(limits) }
        try storage.reopen()
        #expect(try storage.index.read { try $0.spaceLimits() } == limits)
        try storage.index.write { try $0.setSpaceLimits(nil) }
        #expect(try storage.index.read { try $0.spaceLimits() } == nil)
    }
}

@Suite("What a transaction did to which items")
struct ItemChangeTests {
    private final class Ear: Sendable {
        private let heard = Mutex<[ItemChange]>([])

        func hear(_ changes: [ItemChange]) { heard.withLock { $0 += changes } }

        /// What was heard since, by identifier.
        func take() -> [String: [ItemChange.Kind]] {
            heard.withLock { heard in
                defer { heard = [] }
                return Dictionary(grouping: heard, by: \.id.rawValue).mapValues { $0.map(\.kind) }
            }
        }
    }

    @Test("items that appear, change, move and go are told, with where they were; what was undone is not")
    func kinds() throws {
        let storage = try StorageFixture()
        let ear = Ear()
        storage.index.observeChanges { ear.hear($0) }
        try storage.tell(
            storage.item("box", "box", kind: .folder), storage.item("a", "a.txt", in: "box"), storage.item("b", "b.txt")
        )
        let appeared = ear.take()
        #expect(["box", "a", "b"].allSatisfy { appeared[$0]?.first == .appeared })
        try storage.tell(storage.item("b", "b.txt", version: "2"))
        #expect(ear.take() == ["b": [.changed]])
        // Told the same again, nothing has happened.
        try storage.tell(storage.item("b", "b.txt", version: "2"))
        #expect(ear.take().isEmpty)
        try storage.tell(storage.item("b", "c.txt", in: "box", version: "2"))
        #expect(ear.take()["b"]?.contains(.moved(from: try storage.location("b.txt"))) == true)
        #expect(throws: DocumentError.self) {
            try storage.index.write { index in
                try index.setKeeping(.pinned, of: ItemIdentifier("a"), in: storage.domain)
                throw DocumentError(.busy, "Not this time.")
            }
        }
        #expect(ear.take().isEmpty)
        _ = try storage.index.write { try $0.delete([ItemIdentifier("box")], in: storage.domain) }
        let removed = ear.take()
        #expect(removed["a"]?.last == .removed(from: try storage.location("box/a.txt")))
        #expect(removed["box"]?.last == .removed(from: try storage.location("box")))
    }

    @Test("INV-8: while nobody wants to know, nothing is noted")
    func nobody() throws {
        let storage = try StorageFixture()
        let ear = Ear()
        storage.index.observeChanges { ear.hear($0) }
        try storage.tell(storage.item("a", "a.txt"))
        storage.index.observeChanges(nil)
        try storage.tell(storage.item("b", "b.txt"))
        #expect(ear.take()["b"] == nil)
        // And again, without what happened meanwhile.
        storage.index.observeChanges { ear.hear($0) }
        try storage.tell(storage.item("c", "c.txt"))
        #expect(Set(ear.take().keys) == ["c"])
    }
}
