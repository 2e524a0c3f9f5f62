package import DocumentModel
import DocumentStorage

/// Small values that tools keep, and share with those whose manifests name the same identifier (CONT-2).
extension DocumentHost {
    /// - Parameters:
    ///   - keys: these; none: all.
    ///   - after: not before something has changed since this revision; 0: at once.
    /// - Throws: `notPermitted` when the tool's manifest names no key-value identifier.
    package func keyValues(
        _ keys: [String], after: UInt64, for tool: Tool
    ) async throws(DocumentError) -> (values: [String: [UInt8]], revision: UInt64) {
        while true {
            // Asked for again after each wait: what the tool may do can change.
            let identifier = try keyValueIdentifier(of: tool)
            let revision = keyValueNews.revision(of: identifier)
            guard revision == after else {
                let wanted = keys.isEmpty ? nil : Set(keys)
                return (try storage.read { try $0.keyValues(of: identifier, wanted) }, revision)
            }
            try await keyValueNews.wait(for: identifier, after: after)
        }
    }

    /// Sets and removes values, all or nothing; durable when it returns.
    ///
    /// - Throws: `notPermitted` when the tool's manifest names no key-value identifier, `insufficientQuota` when there would be
    ///   more than an identifier may hold.
    package func changeKeyValues(_ change: KeyValueChange, for tool: Tool) async throws(DocumentError) {
        let identifier = try keyValueIdentifier(of: tool)
        if try await storage.write({ try $0.change(change, of: identifier) }) { keyValueNews.changed(identifier) }
    }

    private func keyValueIdentifier(of tool: Tool) throws(DocumentError) -> ContainerIdentifier {
        switch tool.standing {
        case .registered(let id):
            if let identifier = registry.find(id)?.entitlements.keyValueIdentifier { return identifier }
            throw DocumentError(
                .notPermitted,
                "\(id) has no key-value data: its manifest names no identifier under “key-value”. Register it with a manifest that does."
            )
        case .user:
            throw DocumentError(
                .notPermitted,
                "This program is not registered, and key-value data belongs to registered tools: “docent tool register” takes a manifest, which names the identifier under “key-value”."
            )
        case .nobody(let reason): throw DocumentError(.notPermitted, reason)
        }
    }
}
