import Glibc
import SystemPackage

/// The process that serves a mount, as the mount's source names it: known without asking the mount.
struct MountServer: Hashable, Sendable {
    private static let prefix = "docent:"

    let process: Int32
    /// When it was started, in ticks since the machine was: another process may have got its number since.
    let started: UInt64

    /// This process.
    static func own() -> MountServer {
        MountServer(process: getpid(), started: stat(of: getpid())?.started ?? 0)
    }

    /// How the kernel is told.
    var source: String { "\(Self.prefix)\(process):\(started)" }

    /// - Returns: nil for the source of a mount that is none of ours.
    init?(source: String) {
        let numbers = source.dropFirst(Self.prefix.count).split(separator: ":")
        guard source.hasPrefix(Self.prefix), numbers.count == 2, let process = Int32(numbers[0]), process > 0,
            let started = UInt64(numbers[1])
        else { return nil }
        self.init(process: process, started: started)
    }

    private init(process: Int32, started: UInt64) { (self.process, self.started) = (process, started) }

    /// Whether it will never answer again. One that was killed may still have threads that wait in the kernel: its mount lasts
    /// as long as they do, and they may wait for the mount.
    var isGone: Bool {
        // One that could not say when it was started, or that cannot be looked at, may be there.
        guard started != 0 else { return false }
        guard let now = Self.stat(of: process) else { return kill(process, 0) != 0 && errno == ESRCH }
        return now.started != started || now.isDead
    }

    private static func stat(of process: Int32) -> (isDead: Bool, started: UInt64)? {
        guard let file = try? FileDescriptor.open("/proc/\(process)/stat", .readOnly, options: [.closeOnExec]),
            let text = try? file.closeAfter({
                try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) {
                    let count = try file.read(into: $0)
                    return String(decoding: $0.prefix(count), as: UTF8.self)
                }
            }),
            // The program's name may have anything in it.
            let end = text.lastIndex(of: ")")
        else { return nil }
        // From the third field on (proc_pid_stat(5)).
        let fields = text[end...].split(separator: " ").dropFirst()
        guard let state = fields.first, fields.count > 19, let started = UInt64(fields[fields.startIndex + 19]) else {
            return nil
        }
        return (["Z", "X", "x"].contains(state), started)
    }
}
