public import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher
package import SystemPackage

extension DocumentHost {
    /// Registers a host tool's connection, with the rights of the program that is at its other end.
    ///
    /// - Parameter name: for messages that say who waits for whom: "docent edit (process 4711)".
    package func connect(tool name: String, process: Int32, program: ToolProgram) async -> Tool {
        let registry = registry
        let files = await registry.registeredFiles()
        let looked = try? await storage.run { _ in registry.standing(of: program, registeredFiles: files) }
        let standing = looked ?? .nobody("The host ends.")
        if case .nobody(let reason) = standing {
            logger.notice("a tool may do nothing", metadata: ["tool": "\(name)", "reason": "\(reason)"])
        }
        return connect(tool: name, process: process, standing: standing)
    }

    /// Takes a tool's manifest: from now on its program may do what that says, and no more.
    ///
    /// - Parameter path: the manifest.
    /// - Throws: `notConfigured` for a manifest or a program that cannot be used, `deadlineExceeded` when they give no answer,
    ///   `nameCollision` when another tool has the program.
    package func registerTool(_ path: FilePath) async throws(DocumentError) -> ToolDescription {
        let (text, tool) = try await outside.look(at: path) { () -> (String, ToolDescription) in
            let (text, told) = try ToolManifest.read(at: path)
            var tool = told
            tool.executable = try ToolManifest.program(of: told)
            return (text, tool)
        }
        if let other = registry.all.first(where: { $0.executable == tool.executable && $0.id != tool.id }) {
            throw DocumentError(
                .nameCollision, "\(tool.executable) is registered as \(other.id) already: unregister that first.")
        }
        let record = ToolRecord(id: tool.id, executable: tool.executable, manifest: text)
        try await storage.write { try $0.setTool(record) }
        registry.add(tool)
        reviewPresenters()
        keyValueNews.wakeAll()
        logger.notice("a tool was registered", metadata: ["tool": "\(tool.id)", "program": "\(tool.executable)"])
        return tool
    }

    /// Its program has no rights of its own any more, and its bookmarks are revoked. What runs may do nothing until it is
    /// started anew.
    public func unregisterTool(_ id: ToolIdentifier) async throws(DocumentError) {
        guard registry.find(id) != nil else {
            throw DocumentError(
                .notConfigured, "There is no tool \(id): “docent tool list” shows those that there are.")
        }
        for record in try storage.read({ try $0.bookmarks() }) where record.holder == id {
            // It may have ended with another one of them.
            guard try storage.read({ try $0.bookmark(record.id) }) != nil else { continue }
            try await bookmarks.revoke(record.id)
        }
        try await storage.write { try $0.removeTool(id) }
        registry.remove(id)
        reviewPresenters()
        keyValueNews.wakeAll()
        logger.notice("a tool was unregistered", metadata: ["tool": "\(id)"])
    }

    /// The registered tools.
    public var toolDescriptions: [ToolDescription] { registry.all }

    /// Those that a tool may know of: itself, for a registered one.
    ///
    /// - Throws: `notConfigured` when there is none of that name.
    package func toolDescriptions(
        _ id: ToolIdentifier?, for tool: Tool
    ) throws(DocumentError) -> [ToolDescription] {
        guard let wanted = id ?? tool.identifier else { return registry.all }
        guard let found = registry.find(wanted) else {
            throw DocumentError(
                .notConfigured, "There is no tool \(wanted): “docent tool list” shows those that there are.")
        }
        return [found]
    }
}
