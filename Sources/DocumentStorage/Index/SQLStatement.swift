internal import DocumentModel
internal import GRDB
internal import GRDBSQLite

/// A prepared statement of one connection, bound and read without detours: the index makes a million rows of it.
///
/// GRDB owns the connection, its transactions and the statement; it is only valid within the closure that the
/// connection was given to.
struct SQLStatement {
    private let pointer: OpaquePointer
    private let connection: OpaquePointer?

    /// Prepares it, or takes the one that was prepared before.
    init(_ sql: String, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: sql)
        pointer = statement.sqliteStatement
        connection = database.sqliteConnection
        sqlite3_reset(pointer)
    }

    // MARK: Binding

    /// Begins it anew with other values.
    func bind(_ values: [SQLValue]) throws {
        sqlite3_reset(pointer)
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    }

    func bind(_ value: SQLValue, at index: Int32) throws {
        let code =
            switch value {
            case .null: sqlite3_bind_null(pointer, index)
            case .int(let value): sqlite3_bind_int64(pointer, index, value)
            case .text(var value):
                value.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text(pointer, index, $0.baseAddress ?? Self.nothing, Int32($0.count), Self.copied)
                    }
                }
            case .blob(let value):
                value.withUnsafeBytes {
                    $0.isEmpty
                        ? sqlite3_bind_zeroblob(pointer, index, 0)
                        : sqlite3_bind_blob(pointer, index, $0.baseAddress, Int32($0.count), Self.copied)
                }
            }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// SQLite copies the bytes before the call returns.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
    /// A text of no bytes must not be a null pointer, which would bind NULL. Never read.
    private static var nothing: UnsafePointer<CChar>? { UnsafePointer(bitPattern: 1) }

    // MARK: Running

    /// - Returns: whether there is a row.
    func step() throws -> Bool {
        let code = sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(pointer)
            return false
        default:
            let error = failure(code)
            sqlite3_reset(pointer)
            throw error
        }
    }

    func reset() { sqlite3_reset(pointer) }

    private func failure(_ code: Int32) -> any Error {
        let message = connection.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
    }

    // MARK: Reading a row

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

    /// The text, byte by byte as it was stored.
    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(pointer, column) else { return "" }
        let count = Int(sqlite3_column_bytes(pointer, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func blob(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(pointer, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
    }
}

enum SQLValue {
    case null
    case int(Int64)
    case text(String)
    case blob([UInt8])

    init(_ value: Int64?) { self = value.map(SQLValue.int) ?? .null }
    init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }
    init(_ value: [UInt8]?) { self = value.map(SQLValue.blob) ?? .null }
}

/// A connection within the closure that it was given to.
struct SQLConnection {
    let database: Database

    var lastInsertedRow: Int64 { database.lastInsertedRowID }
    var changesCount: Int { database.changesCount }
    /// Rows that were written through this connection since it was opened, by triggers and foreign keys, too.
    var writesCount: Int { database.totalChangesCount }

    func statement(_ sql: String) throws -> SQLStatement { try SQLStatement(sql, database) }

    /// Runs a body between the beginning of a transaction and its end: all of it, or nothing when the body throws.
    func transaction<T>(_ begin: String, _ body: () throws -> T) throws -> T {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has taken some back itself by now: a full disk's, for one.
            if database.isInsideTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// The same within a transaction, of which the rest stays when the body throws; where that cannot be, all of it goes.
    func savepoint<T>(_ body: () throws -> T) throws -> T {
        try run("SAVEPOINT part")
        do {
            let result = try body()
            try run("RELEASE part")
            return result
        } catch {
            if database.isInsideTransaction {
                do {
                    try run("ROLLBACK TO part")
                    try run("RELEASE part")
                } catch {
                    // What could not be taken back must not be committed with the rest.
                    try? run("ROLLBACK")
                }
            }
            throw error
        }
    }

    var isInsideTransaction: Bool { database.isInsideTransaction }

    func run(_ sql: String, _ values: SQLValue...) throws {
        let statement = try statement(sql)
        try statement.bind(values)
        while try statement.step() {}
    }

    func first<T>(_ sql: String, _ values: SQLValue..., reading: (SQLStatement) throws -> T) throws -> T? {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        return try statement.step() ? try reading(statement) : nil
    }

    /// All rows at once: the statement is free for others, and for itself, when it returns.
    func all<T>(_ sql: String, _ values: SQLValue..., reading: (SQLStatement) throws -> T) throws -> [T] {
        try all(sql, values, reading: reading)
    }

    func all<T>(_ sql: String, _ values: [SQLValue], reading: (SQLStatement) throws -> T) throws -> [T] {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var rows: [T] = []
        while try statement.step() { rows.append(try reading(statement)) }
        return rows
    }
}
