internal import DocumentModel
internal import GRDB
internal import Synchronization

/// Connections that only read, side by side with each other and with who writes. A read is a few microseconds' work, so that
/// what goes on around it counts: each is opened once, its statements stay prepared, and nobody waits in a queue for one.
final class ReadingConnections: Sendable {
    private struct State {
        var idle: [DatabaseQueue] = []
        var isClosed = false
    }

    /// So many are kept open while nobody reads: each has a cache of its own.
    private static let kept = 4

    private let path: String
    private let configuration: Configuration
    private let state = Mutex(State())

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
        let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
        guard !isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The index is closed.") }
        return try idle ?? DatabaseQueue(path: path, configuration: configuration)
    }

    private func giveBack(_ connection: DatabaseQueue) {
        // Whoever is not kept is closed with its last reference.
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.kept { state.idle.append(connection) }
        }
    }
}
