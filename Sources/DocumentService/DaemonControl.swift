import DocumentHost
import DocumentModel
import Glibc
import Synchronization
import SystemPackage

/// The daemon's own life: since when it runs, who is connected, and when it is to end.
package final class DaemonControl: Sendable {
    private struct State {
        var connections = 0
        var isStopping = false
        var lastUse: ContinuousClock.Instant
    }

    /// Of those that have said hello: the others are soon given up.
    let quota = ConnectionQuota()
    private let state: Mutex<State>
    private let version: String
    private let started: Timestamp
    private let stopRequests: AsyncStream<Void>
    private let stopper: AsyncStream<Void>.Continuation

    package init(version: String) {
        self.version = version
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        started = Timestamp(seconds: Int64(now.tv_sec), nanoseconds: UInt32(now.tv_nsec))
        state = Mutex(State(lastUse: .now))
        (stopRequests, stopper) = AsyncStream.makeStream(of: Void.self)
    }

    var software: String { "docentd \(version)" }

    func stop() {
        state.withLock { $0.isStopping = true }
        stopper.yield()
    }

    /// Returns when somebody has asked the daemon to stop.
    func stopRequested() async {
        for await _ in stopRequests { return }
    }

    func connected() {
        state.withLock { state in
            state.connections += 1
            state.lastUse = .now
        }
    }

    func disconnected() {
        state.withLock { state in
            state.connections -= 1
            state.lastUse = .now
        }
    }

    /// How long nobody has been connected.
    var idleTime: Duration {
        state.withLock { $0.connections > 0 ? .zero : $0.lastUse.duration(to: .now) }
    }

    func status(of host: DocumentHost) -> HostStatus {
        HostStatus(
            version: version, processID: getpid(), root: host.rootPath.string, started: started,
            connections: state.withLock { $0.connections }, claims: host.claimCount, findings: host.findings,
            memory: Self.residentMemory())
    }

    /// From the second field of /proc/self/statm; 0 when it cannot be read.
    private static func residentMemory() -> UInt64 {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(file, &buffer, buffer.count)
        let fields = buffer.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return 0 }
        let pages = UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
