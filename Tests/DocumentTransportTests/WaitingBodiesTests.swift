import DocumentModel
import DocumentTransport
import DocumentWire
import Synchronization
import Testing

/// What a connection keeps of requests that are waiting for their answers.
@Suite(.timeLimit(.minutes(1)))
struct WaitingBodiesTests {
    @Test(
        "WIRE-6: the bytes of a request are let go once they are read, however long its answer takes",
        arguments: EndKind.allCases)
    func bytesAreLetGo(over kind: EndKind) async throws {
        try await RawConnection.withProvider(kind) { raw in
            let handler = KeepingHandler()
            async let ended = raw.connection.run(handler)
            try await raw.peer.send(
                Frame(id: 2, .request(body: [UInt8](repeating: 1, count: 100_000), deadline: 0)))
            try await eventually("the request") { handler.isWaiting }
            #expect(handler.isAlone)
            raw.connection.close(nil)
            _ = await ended
        }
    }
}

/// Keeps the body of a request, so as to see who else does, and does not answer.
private final class KeepingHandler: RequestHandler {
    private let kept = Mutex<[UInt8]>([])
    private let waiting = Mutex(false)

    var isWaiting: Bool { waiting.withLock { $0 } }

    /// Whether nobody else has the bytes: else who writes to them gets bytes of their own. Can be asked once.
    var isAlone: Bool {
        kept.withLock { kept in
            let place = kept.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            kept[0] &+= 1
            return kept.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } == place
        }
    }

    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8] {
        try await begin(body, request)()
    }

    func begin(_ body: [UInt8], _ request: IncomingRequest) throws -> @Sendable () async throws -> [UInt8] {
        kept.withLock { $0 = body }
        return {
            self.waiting.withLock { $0 = true }
            try await Task.sleep(for: .seconds(3600))
            return []
        }
    }
}
