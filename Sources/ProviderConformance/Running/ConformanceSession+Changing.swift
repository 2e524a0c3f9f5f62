package import DocumentModel
import DocumentWire
import SystemPackage

/// Changes, and what is looked at after them.
extension ConformanceSession {
    /// Changes what is given of an item; what is nil stays.
    package func change(
        _ item: Item, name: String? = nil, parent: ItemIdentifier? = nil, contents: [UInt8]? = nil,
        modified: Timestamp? = nil, base: ItemVersion = .none, operation: String = operationName()
    ) async throws -> Item {
        let file = try contents.map { try folder.newFile(contents: $0) }
        defer { file?.remove() }
        return try await modify(
            ProviderCall.ModifyCall(
                id: item.id, baseVersion: base, contentsPath: file?.path.string,
                name: try name.map { try ItemName($0) },
                parentID: parent, modified: modified, operation: operation))
    }

    /// Whether there is no such item any more.
    package func isGone(_ id: ItemIdentifier) async throws -> Bool {
        do {
            _ = try await item(id)
            return false
        } catch let error as DocumentError where error.code == .noSuchItem {
            return true
        }
    }

    /// The names in a folder.
    package func names(in folder: ItemIdentifier) async throws -> [String] {
        try await list(folder).compactMap { $0.name?.rawValue }
    }

    /// All changes after an anchor, page by page.
    ///
    /// - Throws: ``CheckFailure`` also when they come to no end.
    package func allChanges(since anchor: SyncAnchor, count: Int = 100) async throws -> ToldChanges {
        var told = ToldChanges(anchor: anchor)
        repeat {
            let page = try await changes(since: told.anchor, count: count)
            guard !page.more || page.anchor != told.anchor else {
                throw CheckFailure("The feed says that there is more, and its anchor stays where it was.")
            }
            told.take(page)
            guard told.pages < 10_000 else { throw CheckFailure("The feed of changes comes to no end.") }
            if !page.more { return told }
        } while true
    }
}

/// What several pages of changes come to.
package struct ToldChanges: Sendable {
    package var updated: [ItemIdentifier: Item] = [:]
    package var deleted: Set<ItemIdentifier> = []
    package var anchor: SyncAnchor
    package var pages = 0

    package init(anchor: SyncAnchor) {
        self.anchor = anchor
    }

    mutating func take(_ page: ItemChanges) {
        pages += 1
        for item in page.updated {
            updated[item.id] = item
            deleted.remove(item.id)
        }
        for id in page.deleted {
            updated[id] = nil
            deleted.insert(id)
        }
        anchor = page.anchor
    }
}

/// Fails with a skip where an item does not allow something.
package func require(_ capability: ItemCapabilities, of item: Item, _ what: String) throws {
    guard item.capabilities.contains(capability) else { throw CheckSkip("The provider's items cannot be \(what).") }
}
