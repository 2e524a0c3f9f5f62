package import DocumentModel

extension CheckContext {
    /// A folder of the check's own that outlives the processes which the body starts, and is removed afterwards with all
    /// that is in it, also when the check is interrupted, and by another process when the one that made it is gone.
    package func ownContainer(_ body: (Item) async throws -> Void) async throws {
        // An interruption while it is made would leave it to nobody.
        let container = try await Task { try await withSession { try await newContainer($0) } }.value
        let removing = {
            await Task { try await withSession { try await $0.delete(container.id, recursive: true) } }.result
        }
        do {
            try Task.checkCancellation()
            try await body(container)
        } catch {
            // The first error is the one that matters.
            _ = await removing()
            throw error
        }
        try await removing().get()
    }

    /// A folder that whoever asks for it removes.
    package func newContainer(_ session: ConformanceSession) async throws -> Item {
        let parent =
            configuration.data.container.isEmpty
            ? session.rootID : try await known(configuration.data.container, session).id
        return try await session.createFolder(operationName(), in: parent)
    }

    /// The largest document that is known.
    ///
    /// - Throws: ``CheckSkip`` when there is none.
    package func largestDocument(_ session: ConformanceSession) async throws -> Item {
        let documents = try await allItems(session).filter { $0.kind == .document }
        guard let largest = documents.max(by: { ($0.size ?? 0) < ($1.size ?? 0) }) else {
            throw CheckSkip("The provider has no document to try it on.")
        }
        return largest
    }
}
