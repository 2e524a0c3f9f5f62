import DocumentModel
import DocumentTransport
import DocumentWire
import Synchronization
import SystemPackage
import Testing

/// Peers that read nothing any more and go on writing for as long as they are listened to.
@Suite(.timeLimit(.minutes(1)))
struct UnendingPeerTests {
    /// The largest pipe, and one more read.
    private static let most = 1_048_576 + 65_536

    /// What can be told without end, by the number of the frame.
    private static let floods: [@Sendable (UInt64) -> Frame] = [
        { _ in Frame(.notification(body: [1])) },
        { _ in Frame(.notification(body: [UInt8](repeating: 1, count: 100_000))) },
        { number in Frame(id: 2 + 2 * number, .request(body: [1], deadline: 0)) },
    ]

    @Test("WIRE-6: of a peer that hung up and writes without end no more is read than a pipe holds", arguments: 0..<3)
    func hangsUp(flood: Int) async throws {
        try await Self.with(Self.floods[flood]) { end, connection in
            async let ended = connection.run(Refusing())
            end.tell(.hungUp)
            let reason = await ended
            #expect(reason.reason == .endOfStream)
            #expect(reason.evidence == nil, "that it was not heard out is none of its faults")
            #expect(end.taken <= Self.most)
        }
    }

    @Test("WIRE-6: so is one whose silence shows when it is written to", arguments: 0..<3)
    func isWrittenTo(flood: Int) async throws {
        try await Self.with(Self.floods[flood]) { end, connection in
            async let ended = connection.run(Refusing())
            end.isDeaf = true
            connection.notify([1])
            #expect(await ended.reason == .endOfStream)
            #expect(end.taken <= Self.most)
        }
    }

    @Test("WIRE-43: what a peer has answered before it hung up counts, although it writes on")
    func answersFirst() async throws {
        let large = [UInt8](repeating: 7, count: 900_000)
        try await Self.with { number in
            number == 0 ? Frame(id: 1, .answer(body: large)) : Frame(.notification(body: [1]))
        } _: { end, connection in
            async let ended = connection.run(Refusing())
            async let answer = connection.request([UInt8](repeating: 1, count: 10_000), deadline: .none)
            try await eventually("the request") { end.written > 10_000 }
            end.tell(.hungUp)
            #expect(try await answer == large)
            _ = await ended
        }
    }

    /// A connection that is open.
    private static func with(
        _ frame: @escaping @Sendable (UInt64) -> Frame, _ body: (UnendingEnd, Connection) async throws -> Void
    ) async throws {
        let loop = EventLoop(name: "unending")
        defer { loop.shutdown() }
        let end = UnendingEnd(frame)
        let connection = Connection(
            end: end, loop: loop, configuration: Connection.Configuration(role: .initiator, preface: .expects),
            logger: .quiet)
        defer { connection.close(nil) }
        _ = try await connection.open()
        try await body(end, connection)
    }
}

/// An end whose peer answers the hello, and then waits for something to happen before it floods.
private final class UnendingEnd: TransportEnd {
    private struct State {
        var observer: (any TransportObserver)?
        /// What is there to be read.
        var bytes: [UInt8] = []
        var isFlooding = false
        var isDeaf = false
        var number: UInt64 = 0
        var taken = 0
        var written = 0
    }

    /// Even who listens without end comes to one.
    private static let mostEver = 4_194_304

    private let frame: @Sendable (UInt64) -> Frame
    private let state = Mutex(State())

    init(_ frame: @escaping @Sendable (UInt64) -> Frame) {
        self.frame = frame
    }

    /// How much of the flood was read.
    var taken: Int { state.withLock { $0.taken } }
    var written: Int { state.withLock { $0.written } }

    /// Whether it takes nothing any more, and floods.
    var isDeaf: Bool {
        get { state.withLock { $0.isDeaf } }
        set {
            state.withLock { state in
                state.isDeaf = newValue
                state.isFlooding = newValue
            }
        }
    }

    /// Begins to flood and tells that something has happened.
    func tell(_ readiness: TransportReadiness) {
        let observer = state.withLock { state in
            state.isFlooding = true
            return state.observer
        }
        observer?.endIsReady(readiness)
    }

    func start(_ observer: any TransportObserver) throws(Errno) {
        var reply = Frame.HelloReply()
        reply.version = 1
        var bytes = FrameDecoder.preface
        Frame(.helloReply(reply)).append(to: &bytes)
        let opening = bytes
        state.withLock { state in
            state.observer = observer
            state.bytes = opening
        }
        observer.endIsReady(.readable)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportOutcome {
        state.withLock { state in
            while state.isFlooding, state.bytes.count < buffer.count, state.taken < Self.mostEver {
                frame(state.number).append(to: &state.bytes)
                state.number += 1
            }
            guard !state.bytes.isEmpty else { return .wouldBlock }
            let count = min(buffer.count, state.bytes.count)
            buffer.copyBytes(from: state.bytes[..<count])
            state.bytes.removeFirst(count)
            if state.isFlooding { state.taken += count }
            return .bytes(count)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> TransportOutcome {
        state.withLock { state in
            guard !state.isDeaf else { return .ended }
            state.written += bytes.count
            return .bytes(bytes.count)
        }
    }

    func setInterest(reading: Bool, writing: Bool) {}

    func close() {
        state.withLock { $0.observer = nil }
    }
}
