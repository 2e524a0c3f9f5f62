package import DocumentModel

extension CheckContext {
    /// A folder of the check's own, which it removes itself, perhaps in another session.
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
