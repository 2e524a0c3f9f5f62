public import DocumentModel
import DocumentStorage
import DocumentTypes
import FileCoordination
import ProviderLauncher
import Synchronization

extension DocumentHost {
    /// Thumbnails of items, each answered on its own. What is kept here comes without the provider, and whoever waits for it
    /// waits with nothing else.
    ///
    /// - Parameter size: what the longer side should have, in pixels. What comes may have more or less.
    /// - Returns: one outcome for each, in their order.
    /// - Throws: `cancelled`, and `invalidArgument` when too many are asked for.
    public func thumbnails(
        of locations: [Location], size: Int, for tool: Tool
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        let sight = try sight(of: tool)
        return try await thumbnails(of: locations, size) { location throws(DocumentError) in
            try sight.require(.reading, of: location)
            let domain = try domains.domain(location.domain)
            try domain.require([.open, .import], for: "looked at")
            let item = try await knownIndexedItem(at: location, in: domain)
            try exported.check(item.key, at: location, by: tool.owner)
            return item
        }
    }

    /// The same of a picker session's entries: of those that the session may show.
    public func thumbnails(
        of entries: [PickerEntryID], in session: UInt64, size: Int, for tool: Tool
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        let picker = try pickers.find(session, of: tool.owner)
        try picker.machine.withLock { machine throws(DocumentError) in try machine.look() }
        let sight = try sight(of: tool)
        return try await thumbnails(of: entries, size) { entry throws(DocumentError) in
            let key = try picker.key(entry)
            let domain = try domains.domain(key.domain)
            try domain.requireVisible()
            try await prepare(domain, for: picker)
            let item = try await pickedItem(key, domain)
            let location = try status(of: item).location
            try sight.require(.reading, of: location)
            try exported.check(item.key, at: location, by: tool.owner)
            return item
        }
    }

    /// - Parameter find: the item, when the tool may see it.
    private func thumbnails<Name>(
        of names: [Name], _ size: Int, _ find: (Name) async throws(DocumentError) -> IndexedItem
    ) async throws(DocumentError) -> [ThumbnailOutcome] {
        try Thumbnail.check(count: names.count)
        let size = ThumbnailDesk.size(for: try Thumbnail.check(size: size))
        var outcomes: [ThumbnailOutcome?] = []
        var keys: [ThumbnailKey?] = []
        for name in names {
            do throws(DocumentError) {
                let key = thumbnailKey(of: try await find(name), size: size)
                outcomes.append(key == nil ? .missing : nil)
                keys.append(key)
            } catch {
                if error.code == .cancelled { throw error }
                outcomes.append(.failed(error))
                keys.append(nil)
            }
        }
        let found = try await thumbnailDesk.thumbnails(Array(Set(keys.compactMap { $0 })))
        return zip(outcomes, keys).map { outcome, key in outcome ?? key.flatMap { found[$0] } ?? .missing }
    }

    /// Nil when there is none, as far as is known without the provider.
    private func thumbnailKey(of item: IndexedItem, size: Int) -> ThumbnailKey? {
        guard let domain = domains.find(item.domain), domain.givesThumbnails, let version = item.thumbnailVersion
        else { return nil }
        return ThumbnailKey(domain: item.domain, id: item.id, contentVersion: version, size: size)
    }
}

extension Domain {
    /// Whether its provider says that it gives thumbnails. Of a drop box nothing is seen (PICK-13).
    var givesThumbnails: Bool { bundle.manifest.capabilities.contains(.thumbnails) && !isDropBox }
}
