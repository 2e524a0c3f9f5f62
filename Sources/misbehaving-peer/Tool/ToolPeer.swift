import Glibc
import Synchronization

/// A host tool on a connection of its own, one step at a time.
final class ToolPeer {
    /// How long a host may take for anything, in milliseconds.
    static let patience: Int32 = 15_000

    private static let connections = Mutex(0)
    /// Of so many connections is noted what goes over them.
    private static let mostNoted = 8

    let pipe: FramePipe
    private let descriptor: Int32
    private var nextID: UInt64 = 1
    private var asked: Set<UInt64> = []
    private(set) var finals: [UInt64: PeerFrame] = [:]

    init(_ socket: String) throws {
        descriptor = try Socket.connect(socket)
        // Nothing lasts for ever.
        var limit = timeval(tv_sec: 15, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let number = Self.connections.withLock { number in
            number += 1
            return number
        }
        let folder = getenv("DOCENT_PEER_TRAFFIC").map { String(cString: $0) }
        let notes = number <= Self.mostNoted && folder != nil ? TrafficNotes() : nil
        notes?.open(in: folder)
        pipe = FramePipe(input: descriptor, output: descriptor, notes: notes, writing: .toProvider)
    }

    deinit { close(descriptor) }

    /// Ends the connection as a killed process does.
    func vanish() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Whoever writes to it from now on finds that nobody is there.
    func stopListening() { shutdown(descriptor, Int32(SHUT_RD)) }

    func hello(versions: [UInt64] = [1], context: [UInt8]? = nil) -> PeerFrame {
        PeerFrame(.hello) { hello in
            for version in versions { hello.number(1, version) }
            hello.text(4, "misbehaving-peer 1.0")
            hello.bytes(8, context ?? MessageWriter.message { $0.text(1, "misbehaving tool") })
        }
    }

    /// Says hello and hears the answer.
    func open() throws {
        try write(hello().bytes)
        guard let reply = try read(), reply.kind == .helloReply, reply.message.number(1) == 1 else {
            throw Finding("The host does not answer a proper hello.")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        do { try pipe.write(bytes) } catch { throw Finding("The host does not read any more: \(error).") }
    }

    /// Writes the same bytes again and again and reads nothing.
    ///
    /// - Parameter patience: seconds for which nothing is taken, until the host has stopped reading.
    /// - Returns: whether it stopped before 200 MiB.
    func pour(_ bytes: [UInt8], until patience: Int) -> Bool {
        let most = 200 << 20
        _ = fcntl(pipe.output, F_SETFL, O_NONBLOCK)
        var (sent, idle) = (0, 0)
        while idle < patience * 100, sent < most {
            let count = Glibc.write(pipe.output, bytes, bytes.count)
            if count > 0 {
                (sent, idle) = (sent + count, 0)
            } else {
                idle += 1
                usleep(10_000)
            }
        }
        return sent < most
    }

    /// The next frame; nil when the host has closed.
    func read(timeout: Int32 = patience) throws -> PeerFrame? {
        do { return try pipe.read(timeout: timeout) } catch { throw Finding("The host says nothing: \(error).") }
    }

    /// `ServiceRequest`: a call by its field.
    func request(_ call: Int, _ build: (inout MessageWriter) -> Void = { _ in }) -> PeerFrame {
        request(body: MessageWriter.message { $0.message(call, build) })
    }

    /// - Parameter priority: `docent.wire.v1.Priority`.
    func request(body: [UInt8], priority: UInt64 = 0) -> PeerFrame {
        defer { nextID += 2 }
        asked.insert(nextID)
        return PeerFrame(id: nextID, .request) { frame in
            frame.bytes(1, body)
            if priority != 0 { frame.number(4, priority) }
        }
    }

    /// The final frame of a request.
    @discardableResult
    func final(of id: UInt64) throws -> PeerFrame {
        while true {
            if let frame = finals[id] { return frame }
            guard let frame = try read() else { throw Finding("The host closed before it answered request \(id).") }
            guard frame.kind == .answer || frame.kind == .failure else { continue }
            guard asked.contains(frame.id) else {
                throw Finding("The host answers request \(frame.id), which nobody made.")
            }
            guard finals.updateValue(frame, forKey: frame.id) == nil else {
                throw Finding("The host answers request \(frame.id) twice.")
            }
        }
    }

    @discardableResult
    func final(of frame: PeerFrame) throws -> PeerFrame {
        try write(frame.bytes)
        return try final(of: frame.id)
    }

    /// The host still serves this connection.
    func expectService() throws {
        guard try final(of: request(1)).kind == .answer else { throw Finding("The host does not tell how it is.") }
    }

    /// The host has to close the connection: what it was sent cannot be read on.
    func expectClosing(within limit: Int32 = patience) throws {
        while let frame = try read(timeout: limit) {
            guard frame.kind != .answer else { throw Finding("The host answers what broke the protocol.") }
        }
    }
}
