import DocumentModel
import DocumentStorage
import ProviderLauncher

/// From locations to items: from the index where it knows, by asking the provider where it does not.
struct ItemResolver: Sendable {
    let storage: StorageThreads
    let follower: ChangeFollower

    /// The item at a location.
    ///
    /// - Throws: `noSuchItem`, also when a component on the way is not a folder; `notPermitted` for everything in a drop
    ///   box (PICK-13).
    func resolve(_ location: Location, in domain: Domain) async throws(DocumentError) -> IndexedItem {
        if !location.isRoot { try domain.requireVisible() }
        if let known = try storage.read({ try $0.shownItem(at: location) }) { return known }
        var folder = try await root(of: domain)
        var place = Location(domain: domain.name)
        for name in location.components {
            guard folder.item.kind != .document else { throw Self.missing(location, inside: place) }
            place = place.appending(name)
            folder = try await child(at: place, of: folder, in: domain, wanted: location)
        }
        return folder
    }

    /// The item at a location, or nil when there is none.
    func resolveIfPresent(_ location: Location, in domain: Domain) async throws(DocumentError) -> IndexedItem? {
        do throws(DocumentError) {
            return try await resolve(location, in: domain)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return nil
        }
    }

    /// The folder around a location, where that was listed, and nothing is known to be at the location: for those who make
    /// something there at once, and do not wait for a remote that may not answer. What turns out to be there is kept, too; so is
    /// what is in a folder that takes the place of one that is gone.
    func folderWithRoom(for location: Location, in domain: Domain) throws(DocumentError) -> IndexedItem? {
        guard let parent = location.parent, !domain.isDropBox else { return nil }
        return try storage.read { index in
            guard let folder = try index.shownItem(at: parent), folder.item.kind != .document,
                try folder.isArriving || index.isGoneThere(folder)
                    || index.listing(of: folder.id, in: domain.name).isComplete,
                try index.item(at: location)?.exists != true
            else { return nil }
            return folder
        }
    }

    /// The same, where a folder that was never listed is listed for it. Who waits for that can give it up at once, and the listing
    /// goes on.
    func listedFolderWithRoom(
        for location: Location, in domain: Domain
    ) async throws(DocumentError) -> IndexedItem? {
        if let folder = try folderWithRoom(for: location, in: domain) { return folder }
        guard let parent = location.parent, !domain.isDropBox, let folder = try unlistedFolder(at: parent) else {
            return nil
        }
        try await follower.list(folder.id, of: domain, goesOn: true)
        return try folderWithRoom(for: location, in: domain)
    }

    /// A folder that is known, and was never listed.
    func unlistedFolder(at location: Location) throws(DocumentError) -> IndexedItem? {
        try storage.read { index in
            guard let folder = try index.item(at: location), folder.item.kind != .document,
                try !index.isGoneThere(folder), try !index.listing(of: folder.id, in: folder.domain).isComplete
            else { return nil }
            return folder
        }
    }

    /// The item of an identifier, also one that is not known here: then its provider is asked for it, and for the folders
    /// around it.
    func resolve(_ id: ItemIdentifier, in domain: Domain) async throws(DocumentError) -> IndexedItem {
        _ = try await root(of: domain)
        let isKnown = try storage.read { try $0.item(id, in: domain.name).map { !$0.isGone } } ?? false
        let told = isKnown ? [] : try await lineage.ask(for: id, in: domain)
        if !told.isEmpty { _ = try await follower.treeWork.take(told, in: domain.name) }
        guard let item = try storage.read({ try $0.item(id, in: domain.name) }), !item.isGone else {
            throw DocumentError(.noSuchItem, "\(domain.name) has no item with the identifier “\(id)”.")
        }
        return item
    }

    private var lineage: ItemLineage { ItemLineage(storage: storage) }

    private func root(of domain: Domain) async throws(DocumentError) -> IndexedItem {
        if let root = try storage.read({ try $0.item(domain.rootID, in: domain.name) }) { return root }
        let session = domain.provider
        let item = try await session.item(domain.rootID)
        guard item.id == domain.rootID, item.kind == .folder else {
            throw session.broken("gave something else for the top folder of \(domain.name)")
        }
        _ = try await storage.run { try $0.apply([item], in: domain.name) }
        guard let root = try storage.read({ try $0.item(domain.rootID, in: domain.name) }) else {
            throw session.broken("has no top folder for \(domain.name)")
        }
        return root
    }

    private func child(
        at place: Location, of folder: IndexedItem, in domain: Domain, wanted: Location
    ) async throws(DocumentError) -> IndexedItem {
        if let known = try storage.read({ try $0.shownItem(at: place) }) { return known }
        let isListed = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
        // With a feed, a complete listing stays complete: what is not in it is not there.
        if isListed, domain.hasFeed { throw Self.missing(wanted, at: place) }
        let session = domain.provider
        guard let id = try await session.identifier(forPath: place.relativePath) else {
            throw Self.missing(wanted, at: place)
        }
        // The provider writes the placeholder (PROV-7), and success without one is a broken promise (PROV-17).
        try await session.providePlaceholder(id)
        if let item = try storage.read({ try $0.item(at: place) }), item.id == id { return item }
        if let item = try storage.read({ try $0.item(id, in: domain.name) }), item.state == .nameClash { return item }
        throw session.broken("says that \(place) exists, but did not write a placeholder for it")
    }

    private static func missing(_ wanted: Location, inside document: Location) -> DocumentError {
        DocumentError(
            .noSuchItem,
            "There is no \(wanted): \(document) is a document, and nothing is inside of it. docent stat \(document) shows it."
        )
    }

    private static func missing(_ wanted: Location, at place: Location) -> DocumentError {
        let domain = wanted.domain
        let folder = place.parent ?? Location(domain: domain)
        return DocumentError(.noSuchItem, "There is no \(wanted); docent ls \(folder) shows what is there.")
    }
}
