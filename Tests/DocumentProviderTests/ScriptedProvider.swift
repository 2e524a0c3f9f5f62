import DocumentProvider
import Synchronization

/// A provider that does what a test wrote down for its domain.
final class ScriptedProvider: ModifyingProvider, ChangeFeedProvider {
    struct Script: Sendable {
        var open: @Sendable (ProviderContext) async throws -> Void = { _ in }
        var rootID = ItemIdentifier.root
        var item: @Sendable (ItemIdentifier) async throws -> Item = { throw noItem($0) }
        var items: @Sendable (ItemIdentifier, PageToken?, Int) async throws -> ItemPage = { id, _, _ in throw noItem(id)
        }
        var placeholder: @Sendable (ProviderContext, ItemIdentifier) async throws -> Void = { _, _ in }
        var start: @Sendable (ItemIdentifier, FilePath, [UInt8], Transfer) async throws -> Item = { id, _, _, _ in
            throw noItem(id)
        }
        var changed: @Sendable (ProviderContext, ItemIdentifier) async throws -> Void = { _, _ in }
        var create: @Sendable (ItemCreation) async throws -> Item = { throw noItem($0.parentID) }
        var modify: @Sendable (ItemModification) async throws -> Item = { throw noItem($0.id) }
        var delete: @Sendable (ItemDeletion) async throws -> Void = { _ in }
        var changes: @Sendable (SyncAnchor, Int) async throws -> ItemChanges = { anchor, _ in
            ItemChanges(updated: [], deleted: [], anchor: anchor)
        }
    }

    static let version = "3.1"
    static let scripts = Mutex<[DomainName: Script]>([:])

    let context: ProviderContext
    let script: Script

    static func noItem(_ id: ItemIdentifier) -> DocumentError {
        DocumentError(.noSuchItem, "There is no item “\(id)”.")
    }

    var rootID: ItemIdentifier { script.rootID }

    init(context: ProviderContext) async throws {
        self.context = context
        script = Self.scripts.withLock { $0[context.domain] } ?? Script()
        try await script.open(context)
    }

    func item(for id: ItemIdentifier) async throws -> Item { try await script.item(id) }
    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        try await script.items(container, page, suggestedCount)
    }
    func providePlaceholder(for id: ItemIdentifier) async throws { try await script.placeholder(context, id) }
    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try await script.start(id, stagingFile, contentVersion, transfer)
    }
    func itemChanged(_ id: ItemIdentifier) async throws { try await script.changed(context, id) }
    func stopProvidingItem(_ id: ItemIdentifier) {}
    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item {
        try await script.create(creation)
    }
    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item {
        try await script.modify(modification)
    }
    func deleteItem(_ deletion: ItemDeletion) async throws { try await script.delete(deletion) }
    func currentAnchor() async throws -> SyncAnchor { try SyncAnchor([1]) }
    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        try await script.changes(anchor, suggestedCount)
    }
}

/// A minimum provider: what has no default, and nothing else.
struct MinimumProvider: Provider {
    init(context: ProviderContext) {}
    func item(for id: ItemIdentifier) throws -> Item { throw ScriptedProvider.noItem(id) }
    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) -> ItemPage { ItemPage(items: []) }
    func providePlaceholder(for id: ItemIdentifier) {}
    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        throw ScriptedProvider.noItem(id)
    }
    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}
}

extension Item {
    static func document(_ id: String, in parent: ItemIdentifier = .root, size: Int64? = nil) throws -> Item {
        Item(
            id: try ItemIdentifier(id), parentID: parent,
            name: try ItemName(String(id.split(separator: "/").last ?? "x")),
            kind: .document, size: size, version: try ItemVersion(content: [1])
        )
    }
}
