import DocumentProvider

/// A provider with every capability that has all items that it is asked for, and fails as an identifier tells it.
struct FuzzedProvider: ModifyingProvider, ChangeFeedProvider, RangeProvider, PickerProvider, ThumbnailProvider {
    static let version = "1"
    private let context: ProviderContext

    init(context: ProviderContext) throws {
        if context.settings["broken"] != nil { throw DocumentError(.notConfigured, "Broken.") }
        self.context = context
    }

    private func made(_ id: ItemIdentifier) throws -> Item {
        switch id.rawValue.utf8.first {
        case UInt8(ascii: "!"): throw DocumentError(.noSuchItem, "There is no item “\(id)”.", itemID: id)
        case UInt8(ascii: "#"): throw DocumentError(.contractBroken, "A code that is not a provider's.")
        case UInt8(ascii: "%"): throw Errno.noSpace
        case UInt8(ascii: "&"): throw CancellationError()
        default: break
        }
        return Item(
            id: id, parentID: .root, name: try ItemName("a"), kind: .document, size: 1,
            version: try ItemVersion(content: [1]))
    }

    func item(for id: ItemIdentifier) async throws -> Item {
        if id.rawValue.utf8.first == UInt8(ascii: "~") { await Task.yield() }
        return try made(id)
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        ItemPage(items: [try made(container)], next: page)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws { try await context.writePlaceholder(made(id)) }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        transfer.report(1, of: 1)
        try transfer.checkCancellation()
        return try made(id)
    }

    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) throws -> Item {
        transfer.report(UInt64(range.count), of: nil)
        try transfer.checkCancellation()
        return try made(id)
    }

    func thumbnail(
        for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
    ) throws -> Thumbnail? {
        _ = try made(id)
        return try? Thumbnail(contentVersion)
    }

    func itemChanged(_ id: ItemIdentifier) {
        context.signalChanges()
        context.logger.notice("changed", metadata: ["id": "\(id)"])
    }

    func stopProvidingItem(_ id: ItemIdentifier) throws { _ = try made(id) }
    func createItem(_ creation: ItemCreation, transfer: Transfer) throws -> Item { try made(creation.parentID) }
    func modifyItem(_ modification: ItemModification, transfer: Transfer) throws -> Item { try made(modification.id) }
    func deleteItem(_ deletion: ItemDeletion) throws { _ = try made(deletion.id) }
    func validate(_ choice: PickerChoice, in picker: PickerContext) throws {
        if case .item(let id) = choice { _ = try made(id) }
    }

    func prepareForPresentation(_ picker: PickerContext) throws -> PickerPresentation {
        PickerPresentation(
            message: picker.sessionID,
            sections: [PickerSection(title: "A", containerID: try ItemIdentifier("a"))], columns: PickerColumn.allCases)
    }

    func currentAnchor() throws -> SyncAnchor { try SyncAnchor([1]) }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) -> ItemChanges {
        ItemChanges(updated: [], deleted: [], anchor: anchor)
    }
}
