import DocumentModel
import DocumentTransport
import Logging
import Testing

@testable import DocumentClient

/// A host that is there and says nothing, as one that was stopped.
struct HostSilenceTests {
    @Test("Who waits for a silent host is told within two minutes that it says nothing, and what can be done about it")
    func advice() throws {
        let loop = EventLoop(name: "silence")
        defer { loop.shutdown() }
        let connector = HostConnector(
            address: try HostAddress(root: "/r", socket: "/r/s"), start: .never, tool: "test", loop: loop,
            logger: Logger(label: "test"))
        let configuration = connector.configuration(42)
        let pingAfter = try #require(configuration.pingAfter)
        #expect(pingAfter + configuration.pongWithin <= .seconds(120))
        let error = try #require(configuration.silenceError)
        // Another connection may do, as when the host has ended.
        #expect(error.code == .hostUnavailable)
        #expect(error.message.hasPrefix("The host (process 42) has said nothing for 120 s, not even that it is there"))
        #expect(error.message.contains("“kill -CONT 42” lets it go on"))
        #expect(error.message.contains("“kill -KILL 42” ends it"))
    }
}
