import DocumentModel
import DocumentTransport
import DocumentWire
import Glibc
import SystemPackage
import Testing

/// The other side of a connection, as a test likes it: it sends any bytes, and reads when it wants to.
struct RawPeer {
    let end: any TransportEnd

    /// Sends all of it, waiting for room.
    func send(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        try await eventually("room for \(bytes.count) bytes") {
            while !rest.isEmpty {
                switch rest.withUnsafeBytes({ end.write($0) }) {
                case .bytes(let count): rest = rest.dropFirst(count)
                case .wouldBlock: return false
                case .ended, .failed: throw DocumentError(.internal, "The end is closed.")
                }
            }
            return true
        }
    }

    func send(_ frames: Frame...) async throws {
        var bytes: [UInt8] = []
        for frame in frames { frame.append(to: &bytes) }
        try await send(bytes)
    }

    /// Sends as much as there is room for.
    ///
    /// - Returns: how much.
    func sendWhatFits(_ bytes: [UInt8]) -> Int {
        switch bytes.withUnsafeBytes({ end.write($0) }) {
        case .bytes(let count): count
        case .wouldBlock, .ended, .failed: 0
        }
    }

    /// Reads until so many frames have come.
    func receive(_ count: Int) async throws -> [Frame] {
        var decoder = FrameDecoder(limit: 4_194_304)
        var frames: [Frame] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        try await eventually("\(count) frames") {
            while frames.count < count {
                guard case .bytes(let read) = buffer.withUnsafeMutableBytes({ end.read(into: $0) }) else {
                    return false
                }
                try buffer[..<read].withUnsafeBytes { slice in
                    try decoder.decode(slice) { body, _ throws(FrameViolation) in
                        if let frame = try? Frame(body: body) { frames.append(frame) }
                    }
                }
            }
            return true
        }
        return frames
    }

    /// Whether the other side has closed.
    func waitForEnd() async throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        try await eventually("the end of the stream") {
            while true {
                switch buffer.withUnsafeMutableBytes({ end.read(into: $0) }) {
                case .bytes: continue
                case .wouldBlock: return false
                case .ended, .failed: return true
                }
            }
        }
    }
}

/// A connection of ours, and a raw peer at the other end of it.
struct RawConnection {
    let connection: Connection
    let peer: RawPeer

    static func with(
        _ kind: EndKind, _ configuration: Connection.Configuration,
        _ body: (RawConnection) async throws -> Void
    ) async throws {
        ignoreBrokenPipeSignal()
        let loop = EventLoop(name: "raw")
        defer { loop.shutdown() }
        let (one, two) = try kind.pair(loop: loop, loop)
        // The raw side does not block either; nobody observes it.
        try two.start(Nobody())
        two.setInterest(reading: false, writing: false)
        defer { two.close() }
        let connection = Connection(end: one, loop: loop, configuration: configuration, logger: .quiet)
        defer { connection.close(nil) }
        try await body(RawConnection(connection: connection, peer: RawPeer(end: two)))
    }

    /// As a host sees a provider that has answered the hello.
    static func withProvider(
        _ kind: EndKind, limits: Frame.Limits = Frame.Limits(),
        _ change: (inout Connection.Configuration) -> Void = { _ in }, _ body: (RawConnection) async throws -> Void
    ) async throws {
        var configuration = Connection.Configuration(role: .initiator, preface: .expects)
        configuration.peerName = "The provider raw"
        change(&configuration)
        try await with(kind, configuration) { raw in
            async let opened = raw.connection.open()
            _ = try await raw.peer.receive(1)
            var reply = Frame.HelloReply()
            (reply.version, reply.limits) = (1, limits)
            try await raw.peer.send(FrameDecoder.preface)
            try await raw.peer.send(Frame(.helloReply(reply)))
            _ = try await opened
            try await body(raw)
        }
    }

    /// As a host sees a provider that has answered the hello, on a loop that others use too.
    static func withOpenPair(on loop: EventLoop, _ body: (RawConnection) async throws -> Void) async throws {
        let (one, two) = try EndKind.pipes.pair(loop: loop, EventLoop.forPeers)
        try two.start(Nobody())
        two.setInterest(reading: false, writing: false)
        defer { two.close() }
        let connection = Connection(
            end: one, loop: loop, configuration: Connection.Configuration(role: .initiator, preface: .expects),
            logger: .quiet)
        defer { connection.close(nil) }
        let raw = RawConnection(connection: connection, peer: RawPeer(end: two))
        async let opened = connection.open()
        _ = try await raw.peer.receive(1)
        var reply = Frame.HelloReply()
        reply.version = 1
        try await raw.peer.send(FrameDecoder.preface)
        try await raw.peer.send(Frame(.helloReply(reply)))
        _ = try await opened
        try await body(raw)
    }

    private final class Nobody: TransportObserver {
        func endIsReady(_ readiness: TransportReadiness) {}
        func readAhead() -> Bool { false }
    }
}

/// Waits until something holds, at most ten seconds.
func eventually(_ what: String, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while try !condition() {
        guard ContinuousClock.now < end else { throw DocumentError(.internal, "Waited in vain for \(what).") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The error that something must fail with.
func failure<Value>(of body: () async throws -> Value) async throws -> DocumentError {
    let value: Value
    do {
        value = try await body()
    } catch let error as DocumentError {
        return error
    }
    throw DocumentError(.internal, "It did not fail, but gave \(value).")
}

extension EventLoop {
    /// Where the raw peers' ends live, so that their work does not count as that of the loop that is looked at.
    fileprivate static let forPeers = EventLoop(name: "peers")
}
