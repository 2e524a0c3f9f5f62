public import DocumentModel
package import DocumentTransport
public import Logging
public import SystemPackage

/// Connects to the host, starts one when none runs, and gives the closure a client.
///
/// ```swift
/// try await withDocumentClient(tool: "word-count") { client in
///     let text = try await client.coordinate(readingItemAt: location) { path, _ in
///         try String(contentsOfFile: path.string, encoding: .utf8)
///     }
///     print(text.split(separator: " ").count)
/// }
/// ```
///
/// Everything that the client holds, claims on documents above all, ends with the closure. When the host ends while it
/// is asked, the calls that wait throw `hostUnavailable`; edits that were acknowledged are safe then, and sent when a
/// host runs again. The client does not go over to another host; only ``ItemEvents`` goes on with the next one, and has a
/// client of it.
///
/// - Parameters:
///   - tool: who asks, for logs and for errors that say who waits for whom: `docent edit`.
///   - address: where the host is; nil: told by the environment (`DOCENT_ROOT`, `XDG_DATA_HOME`, `XDG_RUNTIME_DIR`).
///   - start: whether a host is started when none runs.
///   - logger: where the connection logs; nil: nowhere.
public func withDocumentClient<Value>(
    tool: String, address: HostAddress? = nil, start: HostStart = .ifNeeded(), logger: Logger? = nil,
    _ body: (DocumentClient) async throws -> Value
) async throws -> Value {
    let loop = EventLoop(name: "docent-client")
    let outcome: Result<Value, any Error>
    do {
        outcome = .success(
            try await withDocumentClient(tool: tool, address: address, start: start, logger: logger, on: loop, body))
    } catch {
        outcome = .failure(error)
    }
    await loop.end()
    return try outcome.get()
}

/// The same on a loop of the caller's, who ends it.
package func withDocumentClient<Value>(
    tool: String, address: HostAddress? = nil, start: HostStart = .ifNeeded(), logger: Logger? = nil,
    on loop: EventLoop, _ body: (DocumentClient) async throws -> Value
) async throws -> Value {
    let address = try address ?? HostAddress.ofThisProcess()
    let connector = HostConnector(
        address: address, start: start, tool: tool, loop: loop,
        logger: logger ?? Logger(label: "docent.client") { _ in SwiftLogNoOpLogHandler() })
    return try await withTaskExecutorPreference(loop) {
        let (connection, process) = try await connector.connect()
        let desk = PresenterDesk()
        let client = DocumentClient(
            address: address, connection: connection, loop: loop, desk: desk,
            accesses: OpenAccesses(connection, loop), hostProcess: process,
            successors: Successors(
                HostConnector(
                    address: address, start: .never, tool: tool, loop: loop, logger: connector.logger)))
        return try await serve(client) { try await body(client) }
    }
}

/// Whether a host is started when none runs.
public enum HostStart: Hashable, Sendable {
    /// When none runs, `docentd` is started: the given executable, or the one beside this program, or the one in the
    /// `PATH`. It ends by itself when nobody has needed it for a while.
    case ifNeeded(executable: FilePath? = nil)
    /// Then there is the error `hostUnavailable`.
    case never
}

/// Runs the connection beside a closure, and ends it in an orderly way after it.
private func serve<Value>(_ client: DocumentClient, _ body: () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            _ = await client.connection.run(ClientHandler(desk: client.desk, accesses: client.accesses))
        }
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        client.accesses.tellEnded()
        await client.successors.end()
        await client.connection.shutdown(grace: .seconds(2))
        return try outcome.get()
    }
}
