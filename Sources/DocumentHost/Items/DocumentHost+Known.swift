public import DocumentModel
import DocumentStorage

/// What is known here, for those who cannot wait for a provider: programs that look at a mounted tree.
extension DocumentHost {
    /// One page of a folder's items, from the index. A provider is asked only for a folder that was never listed.
    public func knownItems(
        in location: Location, page: PageToken?, suggestedCount: Int
    ) async throws(DocumentError) -> ItemStatusPage {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "listed")
        let folder = try await knownIndexedItem(at: location, in: domain)
        guard folder.item.kind != .document else { throw DocumentError.isNoFolder(location) }
        if page == nil {
            try await list(folder, of: domain)
            // Seldom, in the background, where nobody is known to tell of changes.
            lookout.lookedAt(folder.id, in: domain)
            discovery.lookedAt(folder.id, in: domain)
        }
        return try self.page(page, of: folder, at: location, suggestedCount)
    }

    /// What is known of one item. A provider is asked only where a folder on the way was never listed.
    public func knownItem(at location: Location) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "looked at")
        if !location.isRoot { try domain.requireVisible() }
        // Programs that look at a tree look at the same again and again.
        if let found = try granter.known.item(at: location), found.item.exists { return status(of: found) }
        return try status(of: try await knownIndexedItem(at: location, in: domain))
    }

    func knownIndexedItem(
        at location: Location, in domain: Domain
    ) async throws(DocumentError) -> IndexedItem {
        guard let parent = location.parent else { return try await resolver.resolve(location, in: domain) }
        try domain.requireVisible()
        if let item = try present(location) { return item }
        let folder = try await knownIndexedItem(at: parent, in: domain)
        guard folder.item.kind != .document else { throw DocumentError.isNoFolder(parent) }
        try await list(folder, of: domain)
        if let item = try present(location) { return item }
        throw DocumentError(.noSuchItem, "There is no \(location); docent ls \(parent) shows what is there.")
    }

    private func present(_ location: Location) throws(DocumentError) -> IndexedItem? {
        try storage.read { try $0.shownItem(at: location) }
    }

    private func list(_ folder: IndexedItem, of domain: Domain) async throws(DocumentError) {
        // Its provider knows nothing any more of one that is here for what was changed in it.
        let isKnown = try storage.read { index in
            try index.isGoneThere(folder) || index.listing(of: folder.id, in: folder.domain).isComplete
        }
        if isKnown { return }
        // Who does not wait for it any more, or asks once more, finds it when it is done.
        try await follower.list(folder.id, of: domain, goesOn: true)
    }
}
