import DocumentProvider

@main struct GreetingProvider: Provider {
    let context: ProviderContext
    let folder = Item.root
    let greeting: Item

    init(context: ProviderContext) throws {
        self.context = context
        let (id, name, version) = try (ItemIdentifier("Hello.txt"), ItemName("Hello.txt"), ItemVersion(content: [1]))
        greeting = Item(id: id, parentID: .root, name: name, kind: .document, size: 15, version: version)
    }

    func item(for id: ItemIdentifier) throws -> Item {
        if let item = [folder, greeting].first(where: { $0.id == id }) { return item }
        throw DocumentError(.noSuchItem, "There is no item \(id) here.")
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) -> ItemPage {
        ItemPage(items: [greeting])
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at file: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        try transfer.write(Array("Hello, reader.\n".utf8), to: file)
        return greeting
    }

    func providePlaceholder(for id: ItemIdentifier) async throws { try await context.writePlaceholder(item(for: id)) }
    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}
}
