import DocumentProvider

/// A handbook in the provider's memory. What is changed in it is gone when the provider ends; in everything else it is
/// like a provider that keeps documents for good. Identifiers are paths, as by default, so nothing can be renamed.
@main
actor MemoryProvider: ModifyingProvider {
    private let context: ProviderContext
    private var items: [ItemIdentifier: Item] = [:]
    private var contents: [ItemIdentifier: [UInt8]] = [:]

    init(context: ProviderContext) async throws {
        self.context = context
        let company = context.settings["company"] ?? "the company"
        items[.root] = .root
        try put("Welcome.md", Array("# Welcome to \(company)\n\nRead “First day” first.\n".utf8), state: "1")
        try put("First day", nil, state: "1")
        try put("Checklist.txt", in: "First day", Array("A key.\nA desk.\nThe coffee machine.\n".utf8), state: "1")
        try put("Who is who.csv", in: "First day", Array("name,does\nAda,engines\nGrace,compilers\n".utf8), state: "1")
    }

    /// Stores an item; nil makes a folder. Each state of it has a name, which no other state ever had.
    @discardableResult
    private func put(_ name: String, in folder: String = "/", _ bytes: [UInt8]?, state: String) throws -> Item {
        let id = try ItemIdentifier(folder == "/" ? name : folder + "/" + name)
        let state = Array(state.utf8)
        items[id] = Item(
            id: id, parentID: try ItemIdentifier(folder), name: try ItemName(name),
            kind: bytes == nil ? .folder : .document, size: Int64(bytes?.count ?? 0),
            version: try ItemVersion(content: bytes == nil ? [] : state, metadata: state),
            capabilities: [.read, .write, .delete]
        )
        contents[id] = bytes
        return try item(for: id)
    }

    func item(for id: ItemIdentifier) throws -> Item {
        if let item = items[id] { return item }
        throw DocumentError(.noSuchItem, "The handbook has no item “\(id)”. List its folder again.")
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        _ = try item(for: container)
        return ItemPage(items: items.values.filter { $0.parentID == container })
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await context.writePlaceholder(item(for: id))
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        let item = try item(for: id)
        guard let bytes = contents[id], item.version.satisfies(try ItemVersion(content: contentVersion)) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(id)” has no such contents. Open its current version.")
        }
        try transfer.write(bytes, to: stagingFile)
        return item
    }

    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}

    func createItem(_ new: ItemCreation, transfer: Transfer) throws -> Item {
        if let there = items.values.first(where: { $0.parentID == new.parentID && $0.name == new.name }) {
            if there.version.metadata == Array(new.operation.utf8) { return there }
            throw DocumentError(.nameCollision, "“\(new.name)” is there already. Choose another name.")
        }
        let bytes = try new.contents.map(transfer.read)
        return try put(new.name.rawValue, in: item(for: new.parentID).id.rawValue, bytes, state: new.operation)
    }

    func modifyItem(_ change: ItemModification, transfer: Transfer) throws -> Item {
        let old = try item(for: change.id)
        if old.version.metadata == Array(change.operation.utf8) { return old }
        guard old.version.satisfies(change.baseVersion) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(old.id)” was changed meanwhile.")
        }
        guard change.name == nil, change.parentID == nil, let name = old.name, let folder = old.parentID else {
            throw DocumentError(.notPermitted, "“\(old.id)” cannot be renamed or moved. Make a copy instead.")
        }
        let bytes = try change.contents.map(transfer.read) ?? contents[old.id]
        return try put(name.rawValue, in: folder.rawValue, bytes, state: change.operation)
    }

    func deleteItem(_ deletion: ItemDeletion) throws {
        guard let item = items[deletion.id] else { return }
        guard item.version.satisfies(deletion.baseVersion) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(item.id)” was changed meanwhile.")
        }
        guard deletion.recursive || !items.values.contains(where: { $0.parentID == item.id }) else {
            throw DocumentError(.directoryNotEmpty, "“\(item.id)” is not empty. Remove what is in it first.")
        }
        for id in items.keys where id == item.id || id.rawValue.hasPrefix("\(item.id)/") {
            (items[id], contents[id]) = (nil, nil)
        }
    }
}
