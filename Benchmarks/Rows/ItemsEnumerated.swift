import DocumentModel
import DocumentStorage
import GRDBSQLite
import SystemPackage

/// Items of a listing worked into the index, page by page, beside a loop of inserts into a table of the same columns
/// and indexes, by hand, in transactions of the same size.
struct ItemsEnumerated: BenchmarkRow {
    let name: String
    let floor = "SQLite inserts by hand"
    let unit = "/s"
    let aim = Aim.ratioAtLeast(0.5)

    private let count: Int
    private let page = 1_000

    init(count: Int) {
        self.count = count
        name = "items enumerated (\(count))"
    }

    func measure(rounds: Int) async throws -> [Round] {
        var results: [Round] = []
        let clock = ContinuousClock()
        // A million rows are their own warming up.
        let rounds = count > 100_000 ? 1 : min(rounds, 5) + 1
        for round in 0..<rounds {
            let bench = try StorageBench()
            let pages = try stride(from: 0, to: count, by: page).map { try bench.items($0..<min($0 + page, count)) }
            let byHand = try HandWrittenIndex(at: bench.folder.appending("plain.sqlite"))
            let floor = try clock.measure { for items in pages { try byHand.insert(items) } }
            byHand.close()
            let generation = try bench.store.beginListing(of: .root, in: bench.domain)
            let ours = try clock.measure {
                for (number, items) in pages.enumerated() {
                    let next = number == pages.count - 1 ? nil : try PageToken([1])
                    _ = try bench.store.root.index.write(durably: false) { index in
                        try index.apply(
                            ItemPage(items: items, next: next), of: .root, in: bench.domain, generation: generation)
                    }
                }
            }
            guard round >= 1 || rounds == 1 else { continue }
            results.append(Round(figure: Double(count) / ours.seconds, floor: Double(count) / floor.seconds))
        }
        return results
    }
}

/// What one would write with nothing but SQLite.
private final class HandWrittenIndex {
    private var connection: OpaquePointer?
    private var statement: OpaquePointer?

    init(at path: FilePath) throws {
        try check(sqlite3_open(path.string, &connection))
        try run(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192;
            CREATE TABLE item (row INTEGER PRIMARY KEY, domain INTEGER, id TEXT, parent INTEGER, name TEXT, name_key TEXT,
                kind INTEGER, type TEXT, size INTEGER, modified INTEGER, modified_ns INTEGER, created INTEGER,
                created_ns INTEGER, content BLOB, metadata BLOB, capabilities INTEGER);
            CREATE UNIQUE INDEX item_id ON item (domain, id);
            CREATE INDEX item_children ON item (parent, name_key);
            """)
        try check(
            sqlite3_prepare_v2(
                connection,
                """
                INSERT INTO item (domain, id, parent, name, name_key, kind, type, size, modified, modified_ns, created,
                    created_ns, content, metadata, capabilities) VALUES (1, ?, 1, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, -1, &statement, nil))
    }

    func insert(_ items: [Item]) throws {
        try run("BEGIN IMMEDIATE")
        for item in items {
            let name = item.name?.rawValue ?? ""
            sqlite3_reset(statement)
            bind(1, item.id.rawValue)
            bind(2, name)
            bind(3, name.lowercased())
            bind(4, item.contentType.identifier)
            sqlite3_bind_int64(statement, 5, item.size ?? 0)
            sqlite3_bind_int64(statement, 6, item.modified.seconds)
            sqlite3_bind_int64(statement, 7, Int64(item.modified.nanoseconds))
            sqlite3_bind_int64(statement, 8, item.created.seconds)
            sqlite3_bind_int64(statement, 9, Int64(item.created.nanoseconds))
            bind(10, item.version.content)
            bind(11, item.version.metadata)
            sqlite3_bind_int64(statement, 12, Int64(item.capabilities.rawValue))
            guard sqlite3_step(statement) == SQLITE_DONE else { throw Errno.ioError }
        }
        sqlite3_reset(statement)
        try run("COMMIT")
    }

    func close() {
        sqlite3_finalize(statement)
        sqlite3_close(connection)
    }

    private func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(
                    statement, index, $0.baseAddress, Int32($0.count),
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        }
    }

    private func bind(_ index: Int32, _ bytes: [UInt8]) {
        sqlite3_bind_blob(
            statement, index, bytes, Int32(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    private func run(_ sql: String) throws { try check(sqlite3_exec(connection, sql, nil, nil, nil)) }

    private func check(_ code: Int32) throws { guard code == SQLITE_OK else { throw Errno.ioError } }
}
