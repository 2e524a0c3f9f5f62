import DocumentModel
import DocumentTransport
import Logging
import Testing

@Suite("A connection that is called off before it is open", .timeLimit(.minutes(1)))
struct ConnectionCancelledOpeningTests {
    private func connection(_ loop: EventLoop) -> (Connection, MemoryEnd) {
        let (end, other) = MemoryEnd.pair(loop: loop)
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        return (Connection(end: end, loop: loop, configuration: .init(role: .initiator), logger: logger), other)
    }

    @Test func oneThatWasClosedFailsToOpen() async throws {
        let loop = EventLoop(name: "opening")
        defer { loop.shutdown() }
        let (connection, other) = connection(loop)
        defer { other.close() }
        let reason = DocumentError(.cancelled, "Changed my mind.")
        connection.close(reason)
        await #expect(throws: reason) { try await connection.open() }
    }

    @Test func aCancelledTaskDoesNotWaitForTheHello() async throws {
        let loop = EventLoop(name: "opening")
        defer { loop.shutdown() }
        let (connection, other) = connection(loop)
        defer { other.close() }
        let opening = Task {
            // Cancelled before it begins.
            while !Task.isCancelled { await Task.yield() }
            return try await connection.open()
        }
        opening.cancel()
        await #expect(throws: DocumentError.self) { try await opening.value }
    }
}
