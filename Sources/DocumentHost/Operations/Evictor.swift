import DocumentModel
import DocumentStorage
import FileCoordination
import ProviderLauncher

/// Contents leave, placeholders stay (XFER-9).
struct Evictor: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let treeWork: TreeWork
    let requests: LastingRequests
    let owner: ClaimOwner

    struct Outcome: Sendable {
        var documents = 0
        var bytes: UInt64 = 0
    }

    /// A document, or everything below a folder; that stops at the first refusal (XFER-12).
    func evict(_ item: IndexedItem, at location: Location, on domain: Domain) async throws(DocumentError) -> Outcome {
        var outcome = Outcome()
        // Nobody wants it here any more, nor what is below it.
        requests.drop(item.key)
        if item.item.kind == .document {
            try await evictOne(item, at: location, on: domain, &outcome)
            return outcome
        }
        for (item, place) in try storage.read({ try $0.present(below: location) }) {
            try await evictOne(item, at: place, on: domain, &outcome)
        }
        return outcome
    }

    private func evictOne(
        _ item: IndexedItem, at location: Location, on domain: Domain, _ outcome: inout Outcome
    ) async throws(DocumentError) {
        if item.isUnsent {
            throw DocumentError(
                .unsyncedEdits,
                "\(location) has changes that were not sent yet; docent status \(location) says why.")
        }
        guard let bytes = item.local?.size else {
            // What came of it before it was interrupted; nobody reads it meanwhile.
            guard item.state != .materialising,
                try !broker.isClaimed(storage.read { try $0.coordinated(item) }, contentsToo: true)
            else { return }
            return try await storage.run { try $0.dropParts(of: item.id, in: item.domain) }
        }
        try await letGo(item, at: location, on: domain) { _ = try $0.evict(item.id, in: item.domain) }
        requests.drop(item.key)
        outcome.documents += 1
        outcome.bytes += UInt64(max(bytes, 0))
    }

    /// Contents of which the remote has newer ones, where they are to be here no longer than that (XFER-14). What somebody wants
    /// here is brought anew instead.
    ///
    /// - Returns: whether they left; false when they are to stay by now.
    func evictOutdated(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        try await letGo(item, at: location, on: domain) { [requests] store in
            guard !requests.isWanted(item.key) else {
                throw DocumentError(
                    .busy, "The newer contents of \(location) are to be brought: they take the place of these.")
            }
            return try store.evictOutdated(item.id, in: item.domain)
        }
    }

    private func letGo<Value: Sendable>(
        _ item: IndexedItem, at location: Location, on domain: Domain,
        _ body: @escaping @Sendable (DocumentStore) throws -> Value
    ) async throws(DocumentError) -> Value {
        // Not waiting for anybody, but for the host's own looks, which end by themselves, and for presenters: they say
        // whether they can do without the contents (COORD-41).
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .evicting, by: owner.onBehalf, style: .unlessOthersUseIt
        )
        defer { broker.end(claim) }
        if storage.store.takes(.askingBeforeEviction) { try await verify(item, at: location, on: domain) }
        return try await locks.withLock(item.key) { () async throws(DocumentError) in
            try await storage.run(body)
        }
    }

    /// No bytes are dropped before the remote has been seen to have them now (XFER-13).
    private func verify(_ item: IndexedItem, at location: Location, on domain: Domain) async throws(DocumentError) {
        let remote: Item
        do throws(DocumentError) {
            remote = try await domain.provider.item(item.id)
        } catch {
            throw error.wrapped(
                "\(location) stays here, because it could not be verified that the remote has it: \(error.message)")
        }
        if (item.state == .materialised) != (remote.version.content == item.synced?.content) {
            // Newer contents there: those are what a later open brings, and ours were never ours alone. Or ours are current again.
            _ = try await treeWork.take([remote], in: item.domain)
        }
    }
}

extension IndexReader {
    /// All items at or below a location that are not plain placeholders, with where they are.
    func present(below location: Location) throws -> [(item: IndexedItem, location: Location)] {
        var found: [(IndexedItem, Location)] = []
        var row: Int64 = 0
        while true {
            let page = try present(in: location.domain, after: row, limit: 1000)
            guard let last = page.last else { return found }
            for item in page where item.item.kind != .folder {
                guard let place = try self.shownLocation(of: item),
                    place.components.starts(with: location.components)
                else { continue }
                found.append((item, place))
            }
            row = last.row
        }
    }

    /// What is at or below a location and was not sent, with its place. Of one document nothing else is looked at, and of a
    /// folder only what is unsent in its domain.
    func unsent(below location: Location) throws -> [(item: IndexedItem, location: Location)] {
        if let item = try item(at: location), item.item.kind == .document {
            return item.isUnsent ? [(item, location)] : []
        }
        var found: [(item: IndexedItem, location: Location)] = []
        for state in [ItemState.changed, .sending, .conflict] {
            var row: Int64 = 0
            while true {
                let page = try items(in: state, of: location.domain, after: row)
                guard let last = page.last else { break }
                for item in page where item.item.kind != .folder {
                    guard let place = try shownLocation(of: item),
                        place.components.starts(with: location.components)
                    else { continue }
                    found.append((item, place))
                }
                row = last.row
            }
        }
        return found.sorted { $0.item.row < $1.item.row }
    }

    /// Where people look for an item: one that is not shown because of its name has its place, too (CONT-12).
    func shownLocation(of item: IndexedItem) throws -> Location? {
        guard item.state == .nameClash else { return try location(of: item.id, in: item.domain) }
        let parent = try item.item.parentID.flatMap { try self.location(of: $0, in: item.domain) }
        return item.item.name.flatMap { parent?.appending($0) }
    }

    /// The same of an item as it is now, of which the folders around it are known.
    func shownLocation(of item: IndexedItem, inside folders: [IndexedItem]) throws -> Location {
        guard item.state == .nameClash, let name = item.item.name, let folder = folders.first else {
            return try location(of: item, inside: folders)
        }
        return try location(of: folder, inside: Array(folders.dropFirst())).appending(name)
    }
}
