import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage
import Testing

@Suite("A hello that is refused", .timeLimit(.minutes(1)))
struct ConnectionRefusalTests {
    /// An end whose observer hears of the hello before it knows that it may write.
    private struct HastyEnd: TransportEnd {
        let end: MemoryEnd

        func start(_ observer: any TransportObserver) throws(Errno) {
            try end.start(observer)
            observer.endIsReady(.readable)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome { end.read(into: buffer) }
        func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome { end.write(bytes) }
        func setInterest(reading: Bool, writing: Bool) { end.setInterest(reading: reading, writing: writing) }
        func close() { end.close() }
    }

    @Test("Rule 12: the answer to a hello without a version in common leaves before the connection closes")
    func theAnswerLeaves() async throws {
        let loop = EventLoop(name: "hasty")
        defer { loop.shutdown() }
        let (end, other) = MemoryEnd.pair(loop: loop)
        let peer = RawPeer(end: other)
        var hello = Frame.Hello()
        hello.versions = [4_000_000_000]
        try await peer.send(Frame(.hello(hello)))
        let connection = Connection(
            end: HastyEnd(end: end), loop: loop, configuration: .init(role: .responder), logger: .quiet)
        await #expect(throws: DocumentError.self) { try await connection.open() }
        guard case .helloReply(let reply) = try #require(try await peer.receive(1).first).kind else {
            Issue.record("No reply.")
            return
        }
        #expect(reply.version == 0 && !reply.versions.isEmpty)
        try await peer.waitForEnd()
    }
}
