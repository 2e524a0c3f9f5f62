internal import Dispatch
internal import DocumentModel
internal import GRDB
internal import Synchronization

/// Connections that only read, side by side with each other and with who writes. A read is a few microseconds' work, so that
/// what goes on around it counts: each is opened once, its statements stay prepared, and nobody waits in a queue for one while
/// there are few.
final class ReadingConnections: Sendable {
    private struct State {
        var idle: [DatabaseQueue] = []
        var inUse = 0
        /// Who waits until one comes back.
        var waiting = 0
        var isClosed = false
    }

    private enum Turn {
        case idle(DatabaseQueue)
        case new
        case wait
        case closed
    }

    /// So many are kept open while nobody reads: each has a cache of its own.
    private static let kept = 4
    /// SQLite keeps what it had open for as many as there ever were at once: on a machine with much else to do, threads that are
    /// kept from going on would open more and more.
    private static let mostAtOnce = 8
    /// Then one more is opened: who waits may be in the middle of another read, which those before it wait for.
    private static let patience = DispatchTimeInterval.milliseconds(20)

    private let path: String
    private let configuration: Configuration
    private let state = Mutex(State())
    private let returned = DispatchSemaphore(value: 0)

    /// How many are read with just now.
    var inUse: Int { state.withLock { $0.inUse } }

    /// - Parameter path: of a database that somebody keeps open for writing.
    init(of path: String, _ configuration: Configuration) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        self.configuration = configuration
    }

    /// Runs a body within one consistent view.
    func read<T>(_ body: (SQLConnection) throws -> T) throws -> T {
        let connection = try take()
        defer { giveBack(connection) }
        return try connection.unsafeRead { database in
            let sql = SQLConnection(database: database)
            return try sql.transaction("BEGIN DEFERRED") { try body(sql) }
        }
    }

    func close() throws {
        let idle = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.idle
        }
        for connection in idle { try connection.close() }
    }

    private func take() throws -> DatabaseQueue {
        var mayWait = true
        while true {
            switch turn(mayWait) {
            case .idle(let connection): return connection
            case .closed: throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The index is closed.")
            case .wait:
                guard returned.wait(timeout: .now() + Self.patience) == .timedOut else { continue }
                state.withLock { if $0.waiting > 0 { $0.waiting -= 1 } }
                mayWait = false
            case .new:
                do {
                    return try DatabaseQueue(path: path, configuration: configuration)
                } catch {
                    state.withLock { $0.inUse -= 1 }
                    throw error
                }
            }
        }
    }

    private func turn(_ mayWait: Bool) -> Turn {
        state.withLock { state in
            if state.isClosed { return .closed }
            if let connection = state.idle.popLast() {
                state.inUse += 1
                return .idle(connection)
            }
            if mayWait, state.inUse >= Self.mostAtOnce {
                state.waiting += 1
                return .wait
            }
            state.inUse += 1
            return .new
        }
    }

    private func giveBack(_ connection: DatabaseQueue) {
        // Whoever is not kept is closed with its last reference.
        let isAwaited = state.withLock { state in
            state.inUse -= 1
            let isAwaited = state.waiting > 0
            if isAwaited { state.waiting -= 1 }
            if !state.isClosed, state.idle.count < Self.kept || isAwaited { state.idle.append(connection) }
            return isAwaited
        }
        if isAwaited { returned.signal() }
    }
}
