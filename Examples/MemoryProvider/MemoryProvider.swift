import DocumentProvider

/// A handbook in the provider's memory, with a journal of its changes in the provider's state folder, from which the
/// next start takes them. Identifiers are paths, as by default, so nothing can be renamed.
@main
actor MemoryProvider: ModifyingProvider, RangeProvider {
    private let context: ProviderContext
    private let journal: Journal
    private var items: [ItemIdentifier: Item] = [:]
    private var contents: [ItemIdentifier: [UInt8]] = [:]

    init(context: ProviderContext) async throws {
        self.context = context
        journal = try Journal(file: context.stateFolder.appending("journal"))
        let company = context.settings["company"] ?? "the company"
        items[.root] = .root
        for (path, text) in [
            ("Welcome.md", "# Welcome to \(company)\n\nRead “First day” first.\n"), ("First day", nil),
            ("First day/Checklist.txt", "A key.\nA desk.\nThe coffee machine.\n"),
            ("First day/Who is who.csv", "name,does\nAda,engines\nGrace,compilers\n"),
        ] {
            try make(Change(id: ItemIdentifier(path), state: "1", contents: text.map { Array($0.utf8) }))
        }
        for change in try journal.read() { try make(change) }
    }

    /// Makes a change, once it is in the journal, so that what is answered is there after a restart.
    private func write(_ change: Change) throws -> Item {
        try journal.append(change)
        try make(change)
        return try item(for: change.id)
    }

    /// Each state of an item has a name, which no other state ever had: the name of the operation that made it.
    private func make(_ change: Change) throws {
        let id = change.id
        if change.isRemoval {
            for id in items.keys where id == change.id || id.rawValue.utf8.starts(with: "\(change.id)/".utf8) {
                (items[id], contents[id]) = (nil, nil)
            }
            return
        }
        let path = id.rawValue.utf8
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(decoding: path[..<$0], as: UTF8.self) } ?? "/"
        let name = slash.map { String(decoding: path[path.index(after: $0)...], as: UTF8.self) } ?? id.rawValue
        let state = Array(change.state.utf8)
        items[id] = Item(
            id: id, parentID: try ItemIdentifier(folder), name: try ItemName(name),
            kind: change.contents == nil ? .folder : .document, size: Int64(change.contents?.count ?? 0),
            modified: change.modified,
            version: try ItemVersion(content: change.contents == nil ? [] : state, metadata: state),
            capabilities: [.read, .write, .delete]
        )
        contents[id] = change.contents
    }

    func item(for id: ItemIdentifier) throws -> Item {
        if let item = items[id] { return item }
        throw DocumentError(.noSuchItem, "The handbook has no item “\(id)”. List its folder again.")
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        _ = try item(for: container)
        var rest = items.values.filter { $0.parentID == container }.sorted { $0.id < $1.id }[...]
        if let page {
            // A page begins behind the last name of the one before.
            guard let last = rest.firstIndex(where: { $0.name.map { Array($0.rawValue.utf8) } == page.bytes }) else {
                throw DocumentError(.pageExpired, "“\(container)” was changed meanwhile. List it again.")
            }
            rest = rest[(last + 1)...]
        }
        let items = Array(rest.prefix(suggestedCount))
        let next = items.count < rest.count ? items.last?.name : nil
        return ItemPage(items: items, next: try next.map { try PageToken(Array($0.rawValue.utf8)) })
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await context.writePlaceholder(item(for: id))
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) throws -> Item {
        let (item, bytes) = try document(id, contentVersion)
        try transfer.write(bytes, to: stagingFile)
        return item
    }

    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) throws -> Item {
        let (item, bytes) = try document(id, contentVersion)
        guard range.upperBound <= bytes.count else {
            throw DocumentError(.invalidArgument, "“\(id)” has only \(bytes.count) bytes.")
        }
        try transfer.write(bytes[Int(range.lowerBound)..<Int(range.upperBound)], to: stagingFile, at: range.lowerBound)
        return item
    }

    private func document(_ id: ItemIdentifier, _ version: [UInt8]) throws -> (Item, [UInt8]) {
        let item = try item(for: id)
        guard item.kind == .document else {
            throw DocumentError(.invalidArgument, "“\(id)” is a folder. Open a document in it.")
        }
        guard let bytes = contents[id], item.version.satisfies(try ItemVersion(content: version)) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(id)” has no such contents. Open its current version.")
        }
        return (item, bytes)
    }

    func itemChanged(_ id: ItemIdentifier) {}
    func stopProvidingItem(_ id: ItemIdentifier) {}

    func createItem(_ new: ItemCreation, transfer: Transfer) throws -> Item {
        let folder = try item(for: new.parentID)
        if let there = items.values.first(where: { $0.parentID == new.parentID && $0.name == new.name }) {
            if there.version.metadata == Array(new.operation.utf8) { return there }
            throw DocumentError(.nameCollision, "“\(new.name)” is there already. Choose another name.")
        }
        guard folder.kind == .folder, (new.kind == .document) == (new.contents != nil) else {
            throw DocumentError(.invalidArgument, "“\(new.name)” cannot be made so. Make documents, in a folder.")
        }
        let id = try ItemIdentifier(folder.id == .root ? new.name.rawValue : "\(folder.id)/\(new.name)")
        let bytes = try new.contents.map(transfer.read)
        return try write(Change(id: id, state: new.operation, modified: new.modified ?? .zero, contents: bytes))
    }

    func modifyItem(_ change: ItemModification, transfer: Transfer) throws -> Item {
        let old = try item(for: change.id)
        if old.version.metadata == Array(change.operation.utf8) { return old }
        guard old.version.satisfies(change.baseVersion) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(old.id)” was changed meanwhile.")
        }
        guard change.name == nil, change.parentID == nil, old.id != .root else {
            throw DocumentError(.notPermitted, "“\(old.id)” cannot be renamed or moved. Make a copy instead.")
        }
        guard change.contents == nil || old.kind == .document else {
            throw DocumentError(.invalidArgument, "“\(old.id)” is a folder. Open a document in it.")
        }
        let bytes = try change.contents.map(transfer.read) ?? contents[old.id]
        let modified = change.modified ?? old.modified
        return try write(Change(id: old.id, state: change.operation, modified: modified, contents: bytes))
    }

    func deleteItem(_ deletion: ItemDeletion) throws {
        guard let item = items[deletion.id] else { return }
        guard item.id != .root else { throw DocumentError(.deletionRejected, "The handbook itself cannot be removed.") }
        guard item.version.satisfies(deletion.baseVersion) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(item.id)” was changed meanwhile.")
        }
        guard deletion.recursive || !items.values.contains(where: { $0.parentID == item.id }) else {
            throw DocumentError(.directoryNotEmpty, "“\(item.id)” is not empty. Remove what is in it first.")
        }
        let change = Change(id: item.id, state: deletion.operation, isRemoval: true)
        try journal.append(change)
        try make(change)
    }
}
