public import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization
public import SystemPackage

extension DocumentHost {
    /// Registers a host tool's connection.
    ///
    /// - Parameter name: for messages that say who waits for whom: "docent edit (process 4711)".
    public func connect(tool name: String) -> Tool {
        Tool(owner: ClaimOwner(id: tools.next(), name: name))
    }

    /// Ends all that a tool holds or waits for. What it wrote until then counts.
    public func disconnect(_ tool: Tool) {
        granter.endAll(of: tool.owner)
        tools.end()
    }

    /// Waits for a claim, has the contents provided, and holds the claim until ``endAccess(_:of:)``.
    public func beginAccess(
        _ request: AccessRequest, for tool: Tool, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> (number: UInt64, item: ItemStatus) {
        let domain = try domains.domain(request.location.domain)
        let grant = try await granter.begin(request, on: domain, by: tool.owner, onProgress: onProgress)
        return (grant.number, try status(of: grant.item))
    }

    /// Ends an access. After a writing one, a change is recorded durably before this returns, and is sent then.
    public func endAccess(_ number: UInt64, of tool: Tool) async throws(DocumentError) {
        try await granter.end(number, by: tool.owner)
    }

    /// Copies a local document to a location, or moves it there: returns when the provider has it.
    public func export(
        _ source: FilePath, to destination: Location, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(destination.domain)
        return try status(
            of: try await exporter.export(
                source, to: destination, on: domain, removingSource: removingSource, replacing: replacing,
                onProgress: onProgress))
    }
}

/// Numbers and counts the connected tools.
final class ToolCounter: Sendable {
    private let state = Mutex((last: UInt64(0), connected: 0))

    func next() -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.connected += 1
            return state.last
        }
    }

    func end() { state.withLock { $0.connected -= 1 } }

    var connected: Int { state.withLock { $0.connected } }
}
