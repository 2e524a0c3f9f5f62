import Glibc

/// What goes through a provider's pipes, noted in a file of a folder that its judge has given it: a line a piece, with its
/// direction, the microseconds since the start, and the bytes in hexadecimal. The beginning of it, where there is much.
final class TrafficNotes {
    enum Direction: String {
        case toProvider = ">"
        case toHost = "<"
    }

    /// In bytes, of each direction.
    private static let limit = 65_536
    private static let digits = Array("0123456789ABCDEF".utf8)

    private let began = TrafficNotes.microseconds
    /// What came before the folder was known; nil when it is.
    private var waiting: [UInt8]? = []
    private var file: Int32 = -1
    private var noted: [Direction: Int] = [:]

    /// Writes to a file of its own in the folder from now on.
    ///
    /// - Parameter folder: nil: nothing is noted any more.
    func open(in folder: String?) {
        let early = waiting ?? []
        waiting = nil
        guard let folder else { return }
        let name = "\(folder)/\(began)-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        file = Glibc.open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        write(early)
    }

    func note(_ bytes: some Collection<UInt8>, _ direction: Direction) {
        guard waiting != nil || file >= 0, !bytes.isEmpty else { return }
        let before = noted[direction, default: 0]
        guard before < Self.limit else { return }
        let shown = bytes.prefix(Self.limit - before)
        noted[direction] = before + shown.count
        var line = Array("\(direction.rawValue) \(Self.microseconds - began) ".utf8)
        for byte in shown {
            line.append(Self.digits[Int(byte >> 4)])
            line.append(Self.digits[Int(byte & 15)])
        }
        line += Array((shown.count < bytes.count || before + shown.count == Self.limit ? " …\n" : "\n").utf8)
        if waiting != nil { waiting? += line } else { write(line) }
    }

    private func write(_ bytes: [UInt8]) {
        guard file >= 0, !bytes.isEmpty else { return }
        _ = Glibc.write(file, bytes, bytes.count)
    }

    private static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
