public import DocumentModel

extension Provider {
    public static var version: String { "" }

    public var rootID: ItemIdentifier { .root }

    /// The path is the identifier, if there is an item with it (PROV-5, ID-2). A rename then makes a new identifier
    /// (ID-4).
    public func persistentIdentifier(forItemAt path: String) async throws -> ItemIdentifier? {
        if path.isEmpty { return rootID }
        guard let id = try? ItemIdentifier(path) else { return nil }
        return try await exists(id)
    }

    /// The identifier is the path, if there is an item with it (PROV-6, ID-2).
    public func path(for id: ItemIdentifier) async throws -> String? {
        if id == rootID { return "" }
        return try await exists(id)?.rawValue
    }

    private func exists(_ id: ItemIdentifier) async throws -> ItemIdentifier? {
        do {
            return try await item(for: id).id == id ? id : nil
        } catch let error as DocumentError where error.code == .noSuchItem {
            return nil
        }
    }
}
