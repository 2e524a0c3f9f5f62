import Glibc
import Synchronization
import SystemPackage

/// A web server that does what a test tells it, byte by byte; where nothing is told, it hands requests on to a real one.
/// It has a thread for each connection, and ends with the test.
package final class FaultServer: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var target: String
        /// With names in lower case.
        package var headers: [String: String]
        package var body: [UInt8]
        /// As it came.
        package var head: String

        /// Another value in the head; nil for none.
        package mutating func set(_ header: String, to value: String?) {
            var lines = head.split(separator: "\r\n").map(String.init)
            lines.removeAll { $0.lowercased().hasPrefix(header.lowercased() + ":") }
            if let value { lines.append("\(header): \(value)") }
            head = lines.joined(separator: "\r\n")
        }
    }

    package enum Part: Sendable {
        case bytes([UInt8])
        /// The real server's answer to another request, with a body of the same length.
        case handOn(Request)
        /// Until the server is ended, or the client goes away.
        case silence
        /// For a slow drip, in milliseconds.
        case pause(UInt32)
        /// Ends the connection; otherwise it is kept.
        case close
    }

    /// Ends the connection when so much of a request's body has come.
    package struct Cut: Sendable {
        package var after: Int
        /// What the server makes of that: a body of the length that was told; nil for nothing.
        package var leaving: (@Sendable ([UInt8]) -> [UInt8])?

        package init(after: Int, leaving: (@Sendable ([UInt8]) -> [UInt8])? = nil) {
            self.after = after
            self.leaving = leaving
        }
    }

    /// What is sent for a request; nil to hand it on. The number counts requests of this method from 0.
    package typealias Script = @Sendable (Request, Int) -> [Part]?

    /// Whether a request, of which only the head is known, is cut; the number counts as above.
    package typealias Cutting = @Sendable (Request, Int) -> Cut?

    package let port: UInt16
    package var url: String { "http://127.0.0.1:\(port)/" }
    private let listener: Int32
    private let upstream: UInt16?
    private let script: Script
    private let cutting: Cutting
    private let state = Mutex(State())

    private struct State {
        var requests: [Request] = []
        var connections: Set<Int32> = []
        var mostConnections = 0
        var isClosed = false
    }

    package var requests: [Request] { state.withLock { $0.requests } }
    /// The most that were open at a time.
    package var mostConnections: Int { state.withLock { $0.mostConnections } }

    private init(upstream: UInt16?, cutting: @escaping Cutting, script: @escaping Script) throws {
        (listener, port) = try Loopback.listen()
        self.cutting = cutting
        self.upstream = upstream
        self.script = script
    }

    package static func with<Result>(
        upstream: UInt16? = nil, cutting: @escaping Cutting = { _, _ in nil }, _ script: @escaping Script,
        body: (FaultServer) async throws -> Result
    ) async throws -> Result {
        let server = try FaultServer(upstream: upstream, cutting: cutting, script: script)
        DetachedThread.start { server.accept() }
        defer { server.end() }
        return try await body(server)
    }

    /// The same, for tests that wait by themselves.
    package static func withServer<Result>(
        upstream: UInt16? = nil, _ script: @escaping Script, body: (FaultServer) throws -> Result
    ) throws -> Result {
        let server = try FaultServer(upstream: upstream, cutting: { _, _ in nil }, script: script)
        DetachedThread.start { server.accept() }
        defer { server.end() }
        return try body(server)
    }

    /// An answer with a body of a known length.
    package static func answer(_ status: String, _ headers: [String] = [], _ body: String = "") -> [UInt8] {
        answer(status, headers, Array(body.utf8))
    }

    package static func answer(_ status: String, _ headers: [String], _ body: [UInt8]) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body
    }

    package func end() {
        let connections = state.withLock { state in
            state.isClosed = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
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
            DetachedThread.start { [self] in
                serve(connection)
                _ = state.withLock { $0.connections.remove(connection) }
                close(connection)
            }
        }
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        while let request = receive(connection, &buffer) {
            let number = note(request)
            let parts = script(request, number) ?? [.bytes(handOn(request)), .close]
            for part in parts {
                switch part {
                case .bytes(let bytes): guard send(bytes, to: connection) else { return }
                case .handOn(let other):
                    guard send(handOn(other), to: connection) else { return }
                    // The real server has said that it is the last one.
                    return
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

    /// - Returns: how many there were with this method before.
    private func note(_ request: Request) -> Int {
        state.withLock { state in
            state.requests.append(request)
            return state.requests.count { $0.method == request.method } - 1
        }
    }

    /// - Returns: whether the request was cut.
    private func cut(_ head: Request, _ connection: Int32, _ buffer: inout [UInt8], bodyAt start: Int) -> Bool {
        let number = state.withLock { state in state.requests.count { $0.method == head.method } }
        guard let cut = cutting(head, number) else { return false }
        while buffer.count < start + cut.after { guard fill(&buffer, from: connection) else { return true } }
        var request = head
        request.body = Array(buffer[start..<start + cut.after])
        _ = note(request)
        if let leaving = cut.leaving {
            request.body = leaving(request.body)
            _ = handOn(request)
        }
        return true
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
                guard words.count == 3 else { return nil }
                let length = headers["content-length"].flatMap { Int($0) } ?? 0
                var request = Request(method: words[0], target: words[1], headers: headers, body: [], head: head)
                if cut(request, connection, &buffer, bodyAt: end + 4) { return nil }
                while buffer.count < end + 4 + length { guard fill(&buffer, from: connection) else { return nil } }
                request.body = Array(buffer[(end + 4)..<(end + 4 + length)])
                buffer.removeFirst(end + 4 + length)
                return request
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
    package func handOn(_ request: Request) -> [UInt8] {
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
