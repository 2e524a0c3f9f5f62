package import DocumentHost
import DocumentModel
package import DocumentTransport
import DocumentWire
package import Logging

/// One host tool's connection, from hello to end.
package struct ToolConnection: Sendable {
    private let host: DocumentHost
    private let loop: EventLoop
    private let control: DaemonControl
    private let logger: Logger

    package init(host: DocumentHost, loop: EventLoop, control: DaemonControl, logger: Logger) {
        self.host = host
        self.loop = loop
        self.control = control
        self.logger = logger
    }

    /// Serves a tool until it has ended, whatever it sends.
    ///
    /// - Parameters:
    ///   - processID: the tool's process, as the kernel tells it.
    ///   - program: what runs in it.
    package func serve(_ end: any TransportEnd, processID: Int32, program: ToolProgram) async {
        var configuration = Connection.Configuration(role: .responder)
        configuration.software = control.software
        configuration.peerName = "The tool"
        configuration.takesPriorities = true
        let connection = Connection(
            end: end, loop: loop, configuration: configuration, logger: logger)
        let identity: ToolIdentity
        do throws(DocumentError) {
            let other = try await connection.open { [quota = control.quota] hello in
                _ = try ToolIdentity(serialized: hello.context)
                // Whoever is refused here is told why.
                try quota.check(process: processID)
                return []
            }
            identity = try ToolIdentity(serialized: other.context)
            try control.quota.take(process: processID)
        } catch {
            logger.info("a connection did not open", metadata: ["process": "\(processID)", "error": "\(error)"])
            connection.close(nil)
            return
        }
        defer { control.quota.giveBack(process: processID) }
        let name = identity.name.isEmpty ? "A tool" : identity.name
        let tool = await host.connect(tool: "\(name) (process \(processID))", process: processID, program: program)
        control.connected()
        let (news, line) = AsyncStream.makeStream(of: DocumentHost.ToolNews.self)
        host.listen(tool) { line.yield($0) }
        let end = await withTaskGroup(of: ConnectionEnd?.self) { group in
            group.addTask {
                defer { line.finish() }
                return await connection.run(ToolHandler(host: host, tool: tool, daemon: control))
            }
            group.addTask {
                await connection.waitForEnd()
                // Also while what it asked for is still being cancelled.
                host.connectionEnded(tool)
                return nil
            }
            group.addTask {
                await withDiscardingTaskGroup { messages in
                    for await piece in news {
                        messages.addTask { await pass(piece, on: connection, to: tool) }
                    }
                }
                return nil
            }
            var end: ConnectionEnd?
            for await ended in group { end = ended ?? end }
            return end
        }
        host.disconnect(tool)
        control.disconnected()
        if let end, end.reason == .failed {
            logger.warning(
                "a connection was closed",
                metadata: ["tool": "\(name)", "process": "\(processID)", "error": "\(end.error)"])
        }
    }

    /// Presenters' messages are requests: their answers say that the presenter is done (COORD-24).
    private func pass(_ news: DocumentHost.ToolNews, on connection: Connection, to tool: DocumentHost.Tool) async {
        switch news {
        case .message(let message, let number, let presenter):
            let call = ToolCall.tellPresenter(presenter, message: number, message)
            do throws(DocumentError) {
                _ = try await connection.request(call.serialized(), deadline: .none)
                host.answered(number, by: tool, failure: nil)
            } catch {
                // One that is gone has not refused: others go on without it.
                guard !connection.hasPeerLeft else { return host.connectionEnded(tool) }
                host.answered(number, by: tool, failure: error)
            }
        case .dropped(let presenter, let reason):
            connection.notify(ToolEvent.droppedPresenter(presenter, reason: reason).serialized())
        case .deadlock(let text): connection.notify(ToolEvent.deadlock(text).serialized())
        }
    }
}
