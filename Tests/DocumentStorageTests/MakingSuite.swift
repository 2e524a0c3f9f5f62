import DocumentModel
import DocumentStorage
import DocumentTestSupport
import SystemPackage

/// What tests of places where tools write something new share: a storage root, and what it knows of such a place.
protocol MakingSuite {
    var storage: StorageFixture { get }
}

extension MakingSuite {
    func path(_ place: String) throws -> FilePath { storage.tree.path(of: try storage.location(place)) }

    func item(at place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(place)) }
    }

    func expect(_ name: String, in parent: ItemIdentifier = .root) throws -> JournalEntry {
        try storage.store.expectDocument(named: ItemName(name), in: parent, of: storage.domain)
    }

    func takeIn(_ entry: JournalEntry) throws -> IndexedItem? {
        try storage.store.takeIn(entry) { name, _, attempt in try ItemName("\(attempt) \(name)") }
    }

    func journal() throws -> [JournalEntry] { try storage.index.read { try $0.journal() } }
}
