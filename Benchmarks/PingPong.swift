import Glibc
import SystemPackage

/// The floor of everything that asks another process: 64 bytes there and 64 bytes back, with plain reads and writes.
struct PingPong {
    private let peer: PeerProcess

    init(_ line: PeerProcess.Line = .pipes, _ placement: Placement = .free) throws {
        peer = try PeerProcess.start("ping-pong", over: line)
        try placement.place(other: peer.pid)
    }

    /// - Returns: microseconds for one there and back.
    func measure(_ count: Int) -> Double {
        var message = [UInt8](repeating: 7, count: 64)
        let start = ContinuousClock.now
        for _ in 0..<count {
            guard write(peer.writing.rawValue, &message, 64) == 64, read(peer.reading.rawValue, &message, 64) == 64
            else {
                return .nan
            }
        }
        return (ContinuousClock.now - start).microseconds / Double(count)
    }

    func stop() {
        peer.hangUp()
        peer.wait()
    }

    static func serve() {
        var message = [UInt8](repeating: 0, count: 64)
        while read(0, &message, 64) == 64, write(1, &message, 64) == 64 {}
    }
}

extension Duration {
    var microseconds: Double {
        Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
    }
}
