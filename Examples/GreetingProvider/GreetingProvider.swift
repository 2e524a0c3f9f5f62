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

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        guard page == nil else { throw DocumentError(.pageExpired, "There is only one page. List it again.") }
        return ItemPage(items: try item(for: container) == folder ? [greeting] : [])
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at file: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        guard try item(for: id) == greeting, greeting.version.satisfies(try ItemVersion(content: contentVersion)) else {
            throw DocumentError(.versionNoLongerAvailable, "\(id) has no such contents. Open its current version.")
        }
        try transfer.write(Array("Hello, reader.\n".utf8), to: file)
        return greeting
    }

    func providePlaceholder(for id: ItemIdentifier) async throws { try await context.writePlaceholder(item(for: id)) }
    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}
}
