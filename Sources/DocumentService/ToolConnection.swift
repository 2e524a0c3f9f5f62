import DocumentHost
import DocumentModel
import DocumentTransport
import DocumentWire
import Logging

/// One host tool's connection, from hello to end.
struct ToolConnection: Sendable {
    let host: DocumentHost
    let loop: EventLoop
    let control: DaemonControl
    let logger: Logger

    func serve(_ peer: SocketListener.Peer) async {
        var configuration = Connection.Configuration(role: .responder)
        configuration.software = control.software
        configuration.peerName = "The tool"
        let connection = Connection(
            end: PipeEnd(socket: peer.socket, loop: loop), loop: loop, configuration: configuration, logger: logger)
        let identity: ToolIdentity
        do throws(DocumentError) {
            let other = try await connection.open { hello in
                _ = try ToolIdentity(serialized: hello.context)
                return []
            }
            identity = try ToolIdentity(serialized: other.context)
        } catch {
            logger.info("a connection did not open", metadata: ["process": "\(peer.processID)", "error": "\(error)"])
            connection.close(nil)
            return
        }
        let name = identity.name.isEmpty ? "A tool" : identity.name
        let tool = host.connect(tool: "\(name) (process \(peer.processID))")
        control.connected()
        let end = await connection.run(ToolHandler(host: host, tool: tool, daemon: control))
        host.disconnect(tool)
        control.disconnected()
        if end.reason == .failed {
            logger.warning(
                "a connection was closed",
                metadata: ["tool": "\(name)", "process": "\(peer.processID)", "error": "\(end.error)"])
        }
    }
}
