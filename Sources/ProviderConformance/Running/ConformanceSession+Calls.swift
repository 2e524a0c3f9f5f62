package import DocumentModel
package import DocumentWire
import SystemPackage

/// The calls of the protocol, one method each, and what is made of several of them.
extension ConformanceSession {
    package func identity() async throws -> (identifier: ProviderIdentifier, version: String) {
        guard case .identity(let identifier, let version) = try await ask(.identity) else { throw wrongKind }
        return (identifier, version)
    }

    package func item(_ id: ItemIdentifier) async throws -> Item {
        guard case .item(let item) = try await ask(.item(id)) else { throw wrongKind }
        return item
    }

    package func page(
        of container: ItemIdentifier, from token: PageToken? = nil, count: Int = 100
    ) async throws -> ItemPage {
        let call = ProviderCall.enumerate(container: container, page: token, suggestedCount: count)
        guard case .enumerate(let page) = try await ask(call) else { throw wrongKind }
        return page
    }

    /// All items of a folder, page by page.
    ///
    /// - Throws: ``CheckFailure`` also when the pages do not come to an end.
    package func list(_ container: ItemIdentifier, count: Int = 100) async throws -> [Item] {
        try await pages(of: container, count: count).flatMap(\.items)
    }

    /// All pages of a folder.
    ///
    /// - Throws: ``CheckFailure`` also when they do not come to an end: a token comes twice.
    package func pages(of container: ItemIdentifier, count: Int = 100) async throws -> [ItemPage] {
        var pages: [ItemPage] = []
        var seen: Set<PageToken> = []
        var token: PageToken?
        repeat {
            let page = try await page(of: container, from: token, count: count)
            pages.append(page)
            token = page.next
            if let token, !seen.insert(token).inserted {
                throw CheckFailure("The pages of a listing go round in a circle: a page token came twice.")
            }
            guard pages.count < 100_000 else { throw CheckFailure("The pages of a listing come to no end.") }
        } while token != nil
        return pages
    }

    package func providePlaceholder(_ id: ItemIdentifier) async throws {
        guard case .providePlaceholder = try await ask(.providePlaceholder(id)) else { throw wrongKind }
    }

    /// Has contents written to a staging file.
    package func startProviding(
        _ id: ItemIdentifier, to file: StagingFile, version: [UInt8] = [],
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> Item {
        try await provide(id, to: file, version: version, onProgress: onProgress).item
    }

    /// The same, with the digest that the provider gives.
    package func provide(
        _ id: ItemIdentifier, to file: StagingFile, version: [UInt8] = [],
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> ProvidedContents {
        let call = ProviderCall.startProviding(id, stagingPath: file.path.string, contentVersion: version)
        guard case .startProviding(let provided) = try await ask(call, onProgress: onProgress) else { throw wrongKind }
        return provided
    }

    /// Has a part of contents written to its place in a staging file.
    package func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, version: [UInt8], to file: StagingFile,
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws -> Item {
        let call = ProviderCall.RangeCall(
            id: id, stagingPath: file.path.string, contentVersion: version, range: range)
        guard case .provideRange(let item) = try await ask(.provideRange(call), onProgress: onProgress) else {
            throw wrongKind
        }
        return item
    }

    /// The contents of a document, whole and checked against the size that was promised.
    package func contents(of id: ItemIdentifier, version: [UInt8] = []) async throws -> (item: Item, bytes: [UInt8]) {
        let file = try folder.newStagingFile()
        defer { file.remove() }
        let item = try await startProviding(id, to: file, version: version)
        let bytes = try file.bytes()
        if let size = item.size, size != bytes.count {
            throw CheckFailure(
                "The staging file has another size than the answer to StartProviding says.",
                detail: "\(id): \(bytes.count) bytes are there, \(size) were promised.")
        }
        return (item, bytes)
    }

    package func itemChanged(_ id: ItemIdentifier) async throws {
        guard case .itemChanged = try await ask(.itemChanged(id)) else { throw wrongKind }
    }

    package func stopProviding(_ id: ItemIdentifier) async throws {
        guard case .stopProviding = try await ask(.stopProviding(id)) else { throw wrongKind }
    }

    package func identifier(forPath path: String) async throws -> ItemIdentifier? {
        guard case .identifierForPath(let id) = try await ask(.identifierForPath(path)) else { throw wrongKind }
        return id
    }

    package func path(for id: ItemIdentifier) async throws -> String? {
        guard case .pathForIdentifier(let path) = try await ask(.pathForIdentifier(id)) else { throw wrongKind }
        return path
    }

    package func create(_ call: ProviderCall.CreateCall) async throws -> Item {
        guard case .create(let item) = try await ask(.create(call)) else { throw wrongKind }
        return item
    }

    /// Makes a document with contents.
    package func createDocument(
        _ name: String, in parent: ItemIdentifier, contents: [UInt8], operation: String = operationName()
    ) async throws -> Item {
        let file = try folder.newFile(contents: contents)
        defer { file.remove() }
        return try await create(
            ProviderCall.CreateCall(
                parentID: parent, name: try ItemName(name), kind: .document, contentsPath: file.path.string,
                modified: nil, operation: operation))
    }

    package func createFolder(
        _ name: String, in parent: ItemIdentifier, operation: String = operationName()
    ) async throws -> Item {
        try await create(
            ProviderCall.CreateCall(
                parentID: parent, name: try ItemName(name), kind: .folder, contentsPath: nil, modified: nil,
                operation: operation))
    }

    package func modify(_ call: ProviderCall.ModifyCall) async throws -> Item {
        guard case .modify(let item) = try await ask(.modify(call)) else { throw wrongKind }
        return item
    }

    /// Gives a document new contents.
    package func replaceContents(
        of id: ItemIdentifier, with contents: [UInt8], base: ItemVersion = .none, operation: String = operationName()
    ) async throws -> Item {
        let file = try folder.newFile(contents: contents)
        defer { file.remove() }
        return try await modify(
            ProviderCall.ModifyCall(
                id: id, baseVersion: base, contentsPath: file.path.string, operation: operation))
    }

    package func delete(
        _ id: ItemIdentifier, base: ItemVersion = .none, recursive: Bool = false, operation: String = operationName()
    ) async throws {
        let call = ProviderCall.DeleteCall(id: id, baseVersion: base, recursive: recursive, operation: operation)
        guard case .delete = try await ask(.delete(call)) else { throw wrongKind }
    }

    /// - Throws: ``CheckSkip`` where the provider says that this domain has no feed.
    package func currentAnchor() async throws -> SyncAnchor {
        do {
            return try await claimedAnchor()
        } catch let error as DocumentError where error.code == .unimplemented {
            throw CheckSkip("The provider has no feed of changes in this domain.")
        }
    }

    /// As the provider answers, whatever it claims.
    package func claimedAnchor() async throws -> SyncAnchor {
        guard case .currentAnchor(let anchor) = try await ask(.currentAnchor) else { throw wrongKind }
        return anchor
    }

    package func changes(since anchor: SyncAnchor, count: Int = 100) async throws -> ItemChanges {
        guard case .changesSince(let changes) = try await ask(.changesSince(anchor, suggestedCount: count)) else {
            throw wrongKind
        }
        return changes
    }

    var wrongKind: CheckFailure { CheckFailure("The answer is of another kind than the question.") }
}

/// A random name for an operation.
package func operationName() -> String {
    "conformance-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
}
