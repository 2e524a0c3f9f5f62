import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Random histories of folders and documents that are moved here, at the remote, and told of in between.
struct RelocatingHistoryTests {
    private struct Place: Hashable {
        var parent: String
        var name: String
    }

    private final class Remote {
        var places: [String: Place] = [:]
        var versions: [String: Int] = [:]
        var untold: Set<String> = []

        static func isFolder(_ id: String) -> Bool { id.hasPrefix("f") || id == "/" }

        func isWithin(_ id: String, _ folder: String) -> Bool {
            var next: String? = id
            while let current = next {
                if current == folder { return true }
                next = places[current]?.parent
            }
            return false
        }

        /// - Returns: whether it may be there.
        func move(_ id: String, to place: Place) -> Bool {
            guard !isWithin(place.parent, id), !places.contains(where: { $0.key != id && $0.value == place }) else {
                return false
            }
            places[id] = place
            versions[id, default: 1] += 1
            untold.insert(id)
            return true
        }

        func item(_ id: String) throws -> Item {
            guard let place = places[id] else { throw DocumentError(.noSuchItem, "\(id) is gone.") }
            let isFolder = Self.isFolder(id)
            return Item(
                id: try ItemIdentifier(id), parentID: try ItemIdentifier(place.parent), name: try ItemName(place.name),
                kind: isFolder ? .folder : .document, size: isFolder ? nil : Int64(id.utf8.count),
                version: try ItemVersion(content: isFolder ? [] : [1], metadata: Array("\(versions[id] ?? 1)".utf8)))
        }
    }

    private func begin(_ storage: StorageFixture) throws -> Remote {
        let remote = Remote()
        for (id, parent) in [("f1", "/"), ("f2", "/"), ("f3", "f1"), ("f4", "f3"), ("f5", "f2")] {
            remote.places[id] = Place(parent: parent, name: id)
        }
        for (id, parent) in [("d1", "f1"), ("d2", "f4"), ("d3", "f5"), ("d4", "/"), ("d5", "f3")] {
            remote.places[id] = Place(parent: parent, name: id)
        }
        for folder in ["/", "f1", "f2", "f3", "f4", "f5"] {
            let id = try ItemIdentifier(folder)
            let generation = try storage.store.beginListing(of: id, in: storage.domain)
            let items = try remote.places.filter { $0.value.parent == folder }.keys.sorted().map(remote.item)
            _ = try storage.store.apply(ItemPage(items: items), of: id, in: storage.domain, generation: generation)
        }
        for id in remote.places.keys.sorted() where !Remote.isFolder(id) { try storage.provide(remote.item(id), id) }
        return remote
    }

    private func pick(_ ids: [String], _ random: inout SplitMix) -> String {
        ids[Int(random.next() % UInt64(ids.count))]
    }

    private func place(of id: String, _ storage: StorageFixture) throws -> Place? {
        let item = try storage.indexed(id).item
        return item.name.map { Place(parent: item.parentID?.rawValue ?? "/", name: $0.rawValue) }
    }

    /// All contents are where the index has them.
    private func expectContents(_ remote: Remote, _ storage: StorageFixture, _ when: String) throws {
        for id in remote.places.keys.sorted() where !Remote.isFolder(id) {
            let place = try storage.store.locate(ItemIdentifier(id), in: storage.domain).location
            try #require(try storage.read(storage.tree.path(of: place)) == id, "\(when): \(id) at \(place)")
        }
    }

    private func moveHere(_ remote: Remote, _ storage: StorageFixture, _ random: inout SplitMix, _ when: String) throws
    {
        let ids = remote.places.keys.sorted()
        let (id, parent) = (pick(ids, &random), pick(["/"] + ids.filter(Remote.isFolder), &random))
        let wanted = Place(parent: parent, name: pick(["a", "b", "c", id], &random))
        guard let from = try storage.index.read({ try $0.location(of: ItemIdentifier(id), in: storage.domain) }),
            try place(of: id, storage) != wanted
        else { return }
        let before = try storage.indexed(id)
        do {
            let entry = try storage.store.relocate(
                before.id, in: storage.domain, from: from, to: ItemIdentifier(parent), name: ItemName(wanted.name))
            guard entry != nil else { return }
            try #require(try place(of: id, storage) == wanted, "\(when): \(id) is not at \(wanted)")
        } catch let error as DocumentError {
            try #require(
                [.destinationExists, .nameClash, .invalidArgument, .busy].contains(error.code), "\(when): \(error)")
        }
    }

    /// As the provider is told of what was moved here: from where it was, or not.
    private func tellRemote(_ remote: Remote, _ storage: StorageFixture) throws {
        guard let entry = try storage.index.read({ try $0.journal() }).first(where: { $0.action == .relocate }),
            let id = entry.itemID?.rawValue, let parent = entry.payload.parentID?.rawValue,
            let name = entry.payload.name
        else { return }
        let origin = Place(
            parent: entry.payload.originID?.rawValue ?? "", name: entry.payload.place?.last?.rawValue ?? "")
        let asked = try storage.indexed(id)
        if remote.places[id] == origin { _ = remote.move(id, to: Place(parent: parent, name: name.rawValue)) }
        try storage.store.finishRelocating(entry, as: remote.item(id), since: asked)
    }

    private func hear(_ ids: some Collection<String>, _ remote: Remote, _ storage: StorageFixture) throws {
        _ = try storage.store.apply(ids.sorted().map(remote.item), in: storage.domain)
        remote.untold.subtract(ids)
    }

    @Test(
        "INV-2: whatever was moved here and there, all ends up where the remote has it, and nothing that is here is lost"
    )
    func histories() throws {
        for seed in 0..<40 {
            let storage = try StorageFixture()
            let remote = try begin(storage)
            var random = SplitMix(state: UInt64(seed))
            for step in 0..<24 {
                let when = "seed \(seed), step \(step)"
                switch random.next() % 8 {
                case 0...3: try moveHere(remote, storage, &random, when)
                case 4:
                    let ids = remote.places.keys.sorted()
                    let place = Place(
                        parent: pick(["/"] + ids.filter(Remote.isFolder), &random),
                        name: pick(["a", "b", "x"], &random))
                    _ = remote.move(pick(ids, &random), to: place)
                case 5: try tellRemote(remote, storage)
                case 6: try hear(remote.untold, remote, storage)
                default:
                    try storage.reopen()
                    let report = try storage.store.reconcile()
                    try #require(report.unknownFiles.isEmpty && report.missing == 0, "\(when): \(report.findings)")
                }
                try expectContents(remote, storage, when)
            }
            while try storage.index.read({ try $0.journal() }).contains(where: { $0.action == .relocate }) {
                try tellRemote(remote, storage)
            }
            try hear(remote.places.keys, remote, storage)
            for id in remote.places.keys.sorted() {
                let (here, there) = (try place(of: id, storage), remote.places[id])
                try #require(
                    here == there,
                    "seed \(seed): \(id) is \(String(describing: here)), not \(String(describing: there))")
            }
            try expectContents(remote, storage, "seed \(seed), at the end")
            try #require(try storage.index.read { try $0.journal() }.isEmpty, "seed \(seed)")
        }
    }
}
