import DocumentTestSupport
import Glibc
import Synchronization

/// Hands bytes on between a client and a server of this machine, without knowing what they mean, and does something to what
/// the server sends: once, after so many bytes of one connection.
final class ByteRelay: Sendable {
    enum Fault: Sendable, CaseIterable {
        /// The connection ends, without a word.
        case cut
        /// One bit is another.
        case flip
    }

    let port: UInt16
    private let listener: Int32
    private let server: UInt16
    private let fault: Mutex<(Fault, after: Int)?>
    private let count = Mutex(0)
    /// How many there were.
    var connections: Int { count.withLock { $0 } }
    var wasFaulty: Bool { fault.withLock { $0 == nil } }

    private init(to server: UInt16, _ fault: Fault, after bytes: Int) throws {
        (listener, port) = try Loopback.listen()
        self.server = server
        self.fault = Mutex((fault, bytes))
    }

    static func with<Result>(
        to server: UInt16, _ fault: Fault, after bytes: Int, body: (ByteRelay) async throws -> Result
    ) async throws -> Result {
        let relay = try ByteRelay(to: server, fault, after: bytes)
        DetachedThread.start { relay.accept() }
        defer {
            shutdown(relay.listener, Int32(SHUT_RDWR))
            close(relay.listener)
        }
        return try await body(relay)
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let upstream = try? Loopback.connect(to: server) else {
                close(client)
                continue
            }
            count.withLock { $0 += 1 }
            let open = Ends()
            for (from, to, isAnswer) in [(client, upstream, false), (upstream, client, true)] {
                DetachedThread.start { [self] in
                    pump(from, to, isAnswer)
                    for end in [from, to] { shutdown(end, Int32(SHUT_RDWR)) }
                    if open.isLast() { for end in [from, to] { close(end) } }
                }
            }
        }
    }

    private func pump(_ from: Int32, _ to: Int32, _ isAnswer: Bool) {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        var total = 0
        while true {
            let count = recv(from, &bytes, bytes.count, 0)
            guard count > 0 else { return }
            let due = isAnswer ? take(whenBy: total + count) : nil
            if due == .cut { return }
            if due == .flip { bytes[count / 2] ^= 1 }
            total += count
            guard send(to, bytes, count, Int32(truncatingIfNeeded: MSG_NOSIGNAL)) == count else { return }
        }
    }

    private func take(whenBy total: Int) -> Fault? {
        fault.withLock { fault in
            guard let due = fault, total >= due.after else { return nil }
            fault = nil
            return due.0
        }
    }

    /// Both directions of a connection.
    private final class Ends: Sendable {
        private let open = Mutex(2)
        func isLast() -> Bool {
            open.withLock { open in
                open -= 1
                return open == 0
            }
        }
    }

}
