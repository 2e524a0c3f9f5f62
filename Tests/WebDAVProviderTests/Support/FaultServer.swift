import Glibc
import Synchronization
import SystemPackage

/// A web server that does what a test tells it, byte by byte; where nothing is told, it hands requests on to a real one.
/// It has a thread for each connection, and ends with the test.
final class FaultServer: Sendable {
    struct Request: Sendable {
        var method: String
        var target: String
        /// With names in lower case.
        var headers: [String: String]
        var body: [UInt8]
        /// As it came.
        var head: String
    }

    enum Part: Sendable {
        case bytes([UInt8])
        /// Until the server is ended, or the client goes away.
        case silence
        /// For a slow drip, in milliseconds.
        case pause(UInt32)
        /// Ends the connection; otherwise it is kept.
        case close
    }

    /// What is sent for a request; nil to hand it on. The number counts requests of this method from 0.
    typealias Script = @Sendable (Request, Int) -> [Part]?

    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)/" }
    private let listener: Int32
    private let upstream: UInt16?
    private let script: Script
    private let state = Mutex(State())

    private struct State {
        var requests: [Request] = []
        var connections: Set<Int32> = []
        var mostConnections = 0
        var isClosed = false
    }

    var requests: [Request] { state.withLock { $0.requests } }
    /// The most that were open at a time.
    var mostConnections: Int { state.withLock { $0.mostConnections } }

    private init(upstream: UInt16?, script: @escaping Script) throws {
        (listener, port) = try Loopback.listen()
        self.upstream = upstream
        self.script = script
    }

    static func with<Result>(
        upstream: UInt16? = nil, _ script: @escaping Script, body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        let server = try FaultServer(upstream: upstream, script: script)
        server.thread { server.accept() }
        defer { server.end() }
        return try await body(server)
    }

    /// An answer with a body of a known length.
    static func answer(_ status: String, _ headers: [String] = [], _ body: String = "") -> [UInt8] {
        answer(status, headers, Array(body.utf8))
    }

    static func answer(_ status: String, _ headers: [String], _ body: [UInt8]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body
    }

    func end() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    // MARK: Threads

    private func thread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let started = pthread_create(
            &thread, nil,
            { raw in
                raw.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        if started == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            if connection < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let isOpen = state.withLock { state in
                if state.isClosed { return false }
                state.connections.insert(connection)
                state.mostConnections = max(state.mostConnections, state.connections.count)
                return true
            }
            guard isOpen else {
                close(connection)
                return
            }
            thread { [self] in
                serve(connection)
                _ = state.withLock { $0.connections.remove(connection) }
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        while let request = receive(connection, &buffer) {
            let number = state.withLock { state in
                state.requests.append(request)
                return state.requests.count { $0.method == request.method } - 1
            }
            let parts = script(request, number) ?? [.bytes(handOn(request)), .close]
            for part in parts {
                switch part {
                case .bytes(let bytes): guard send(bytes, to: connection) else { return }
                case .silence:
                    var byte: UInt8 = 0
                    while recv(connection, &byte, 1, 0) > 0 {}
                    return
                case .pause(let milliseconds): usleep(milliseconds * 1000)
                case .close: return
                }
            }
        }
    }

    private func receive(_ connection: Int32, _ buffer: inout [UInt8]) -> Request? {
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if let end = buffer.indices.first(where: { buffer[$0...].starts(with: blank) }) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                var lines = head.split(separator: "\r\n")
                let words = lines.removeFirst().split(separator: " ").map(String.init)
                var headers: [String: String] = [:]
                for line in lines {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
                }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                while buffer.count < end + 4 + length { guard fill(&buffer, from: connection) else { return nil } }
                let body = Array(buffer[(end + 4)..<(end + 4 + length)])
                buffer.removeFirst(end + 4 + length)
                guard words.count == 3 else { return nil }
                return Request(method: words[0], target: words[1], headers: headers, body: body, head: head)
            }
            guard fill(&buffer, from: connection) else { return nil }
        }
    }

    private func fill(_ buffer: inout [UInt8], from connection: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// The whole answer of the real server.
    func handOn(_ request: Request) -> [UInt8] {
        guard let upstream, let connection = try? Loopback.connect(to: upstream) else {
            return Self.answer("502 Bad Gateway")
        }
        defer { close(connection) }
        var lines = request.head.split(separator: "\r\n").map(String.init)
        lines.removeAll { $0.lowercased().hasPrefix("connection:") }
        guard send(Array((lines + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8), to: connection),
            send(request.body, to: connection)
        else { return Self.answer("502 Bad Gateway") }
        var answer: [UInt8] = []
        while fill(&answer, from: connection) {}
        return answer
    }
}
