public import DocumentModel
internal import DocumentWire
public import SystemPackage

extension DocumentClient {
    /// Registers a host tool by its manifest: from its next start on its program may do what that says, and no more. Only
    /// for the user's own programs.
    ///
    /// - Throws: ``DocumentError``: `notConfigured` for a manifest or a program that cannot be used; a script cannot.
    @discardableResult
    public func registerTool(manifest: FilePath) async throws(DocumentError) -> ToolDescription {
        let path = try LocalPath.absolute(manifest)
        guard case .tools(.tools(let tools)) = try await ask(.tools(.register(path.string))), let tool = tools.first
        else {
            throw Self.unexpectedAnswer
        }
        return tool
    }

    /// The registered tools; a registered tool is told of itself only.
    public func tools() async throws(DocumentError) -> [ToolDescription] {
        guard case .tools(.tools(let tools)) = try await ask(.tools(.describe(nil)), deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return tools
    }

    /// One registered tool.
    ///
    /// - Throws: ``DocumentError``: `notConfigured` when there is none of that name.
    public func tool(_ id: ToolIdentifier) async throws(DocumentError) -> ToolDescription {
        guard case .tools(.tools(let tools)) = try await ask(.tools(.describe(id)), deadline: Self.patience),
            let tool = tools.first
        else { throw Self.unexpectedAnswer }
        return tool
    }

    /// Ends a registration, and revokes the tool's bookmarks. Only for the user's own programs.
    public func unregisterTool(_ id: ToolIdentifier) async throws(DocumentError) {
        try await tell(.tools(.unregister(id)))
    }
}
