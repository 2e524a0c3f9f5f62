package import DocumentModel

/// Things to try a provider on.
extension CheckContext {
    /// How many items are looked at when nothing is said of the data.
    private static let mostLookedAt = 500

    /// A document of the provider's, one with contents if there is one.
    ///
    /// - Throws: ``CheckSkip`` when it has none.
    package func sampleDocument(_ session: ConformanceSession) async throws -> Item {
        for document in configuration.data.documents {
            return try await known(document.path, session)
        }
        let documents = try await allItems(session).filter { $0.kind == .document }
        guard let document = documents.first(where: { $0.size ?? 1 > 0 }) ?? documents.first else {
            throw CheckSkip("The provider has no document to try it on; name one in the configuration's data.")
        }
        return document
    }

    /// All documents that the configuration names, or else all that are found.
    package func sampleDocuments(_ session: ConformanceSession) async throws -> [Item] {
        var documents: [Item] = []
        for document in configuration.data.documents { documents.append(try await known(document.path, session)) }
        if documents.isEmpty { documents = try await allItems(session).filter { $0.kind == .document } }
        guard !documents.isEmpty else {
            throw CheckSkip("The provider has no document to try it on; name one in the configuration's data.")
        }
        return documents
    }

    /// The folder with the most items among those that are known.
    ///
    /// - Throws: ``CheckSkip`` when there is none with an item.
    package func sampleFolder(_ session: ConformanceSession) async throws -> ItemIdentifier {
        for path in configuration.data.folders { return try await known(path, session).id }
        let items = try await allItems(session)
        let counts = Dictionary(grouping: items.compactMap(\.parentID), by: { $0 }).mapValues(\.count)
        guard let folder = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else {
            throw CheckSkip("The provider has no folder with items; name one in the configuration's data.")
        }
        return folder
    }

    /// The items that are found from the top folder on, at most a few hundred, folders before what is in them.
    package func allItems(_ session: ConformanceSession) async throws -> [Item] {
        var items: [Item] = []
        var folders = [session.rootID]
        var seen: Set<ItemIdentifier> = [session.rootID]
        while let folder = folders.first, items.count < Self.mostLookedAt {
            folders.removeFirst()
            let children = try await session.list(folder)
            items += children
            for child in children where child.kind == .folder && seen.insert(child.id).inserted {
                folders.append(child.id)
            }
        }
        return items
    }

    /// An item that the configuration says is there.
    package func known(_ path: String, _ session: ConformanceSession) async throws -> Item {
        if path.isEmpty { return try await session.item(session.rootID) }
        guard let id = try await session.identifier(forPath: path) else {
            throw CheckFailure("The provider does not have an item that the configuration names.", detail: path)
        }
        return try await session.item(id)
    }

    /// An identifier that the provider never gave.
    package func unknownIdentifier() throws -> ItemIdentifier {
        try ItemIdentifier("no-such-item-of-the-conformance-kit")
    }

    /// A folder of the check's own for what it changes, which is removed afterwards with all that is in it.
    ///
    /// - Throws: ``CheckFailure`` also when the provider does not remove it.
    package func withFreshContainer<Result>(
        _ session: ConformanceSession, _ body: (Item) async throws -> Result
    ) async throws -> Result {
        let parent =
            configuration.data.container.isEmpty
            ? session.rootID : try await known(configuration.data.container, session).id
        let name = "conformance-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        // An interruption while it is made would leave it to nobody.
        let container = try await Task { try await session.createFolder(name, in: parent) }.value
        // An interrupted check cleans up, too.
        let cleaning = { await Task { try await cleanUp(container, session) }.result }
        let result: Result
        do {
            try Task.checkCancellation()
            result = try await body(container)
        } catch {
            // The first error is the one that matters.
            _ = await cleaning()
            throw error
        }
        try await cleaning().get()
        return result
    }

    private func cleanUp(_ container: Item, _ session: ConformanceSession) async throws {
        guard session.end == nil else {
            // The provider died: another process of it has to.
            try await withFreshSession { try await $0.delete(container.id, recursive: true) }
            return
        }
        do {
            try await session.delete(container.id, recursive: true)
        } catch let error as DocumentError {
            throw CheckFailure(
                "The provider does not remove a folder that the check made.", detail: "\(container): \(error)")
        }
    }

    /// A folder of the check's own in the shared session: see ``withFreshContainer(_:_:)``.
    package func freshContainer<Result>(
        _ body: (ConformanceSession, Item) async throws -> Result
    ) async throws -> Result {
        try await withSession { session in
            try await withFreshContainer(session) { try await body(session, $0) }
        }
    }
}
