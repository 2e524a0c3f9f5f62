import DocumentModel
import DocumentProvider
import SystemPackage
import Testing

@testable import FolderProvider

extension FolderProvider {
    /// All of a folder, in pages.
    func list(_ container: ItemIdentifier = .root, by count: Int = 100) async throws -> [Item] {
        var items: [Item] = []
        var token: PageToken?
        repeat {
            let page = try await self.items(in: container, page: token, suggestedCount: count)
            items += page.items
            token = page.next
        } while token != nil
        return items
    }

    /// Everything beneath a folder, by path.
    func tree(_ container: ItemIdentifier = .root, _ path: FilePath = "") async throws -> [FilePath: Item] {
        var tree: [FilePath: Item] = [:]
        for item in try await list(container) {
            let place = path.appending(item.name?.rawValue ?? "")
            tree[place] = item
            if item.kind == .folder { tree.merge(try await self.tree(item.id, place)) { $1 } }
        }
        return tree
    }

    func item(at path: String) async throws -> Item {
        let id = try #require(try await persistentIdentifier(forItemAt: path))
        return try await item(for: id)
    }

    func create(
        _ name: String, _ contents: FilePath?, in parent: ItemIdentifier = .root, operation: String = fresh()
    ) async throws -> Item {
        try await createItem(
            ItemCreation(
                parentID: parent, name: try ItemName(name), kind: contents == nil ? .folder : .document,
                contents: contents, modified: nil, operation: operation), transfer: Transfer())
    }

    func replace(
        _ item: Item, _ contents: FilePath, base: ItemVersion? = nil, operation: String = fresh()
    ) async throws -> Item {
        try await modifyItem(
            ItemModification(
                id: item.id, baseVersion: base ?? item.version, contents: contents, operation: operation),
            transfer: Transfer())
    }

    func rename(
        _ item: Item, to name: String? = nil, in parent: ItemIdentifier? = nil, operation: String = fresh()
    ) async throws -> Item {
        try await modifyItem(
            ItemModification(
                id: item.id, baseVersion: item.version, name: try name.map { try ItemName($0) }, parentID: parent,
                operation: operation), transfer: Transfer())
    }

    func delete(_ item: Item, recursive: Bool = false, operation: String = fresh()) async throws {
        try await deleteItem(
            ItemDeletion(id: item.id, baseVersion: item.version, recursive: recursive, operation: operation))
    }

    func contents(of id: ItemIdentifier, _ fixture: FolderFixture, version: [UInt8] = []) async throws -> (Item, String)
    {
        let staging = try fixture.emptyStagingFile()
        let item = try await startProvidingItem(id, at: staging, contentVersion: version, transfer: Transfer())
        return (item, String(decoding: try fixture.readPath(staging.string), as: UTF8.self))
    }
}

/// A random name of an operation.
func fresh() -> String {
    String(UInt64.random(in: 0 ... .max), radix: 16)
}

/// Expects an error with a code.
func expect(
    _ code: DocumentError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("No error; expected \(code).", sourceLocation: sourceLocation)
    } catch let error as DocumentError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}
