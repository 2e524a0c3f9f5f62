import GRDB
import SystemPackage

/// The index, seen and changed from outside.
enum DatabaseEdits {
    /// Takes back what the index keeps to prove contents by: none did before version 17.
    static let withoutProofs =
        "ALTER TABLE item DROP COLUMN digest; ALTER TABLE item DROP COLUMN proven; ALTER TABLE item DROP COLUMN proven_ns;"

    static func execute(_ sql: String, on path: FilePath) throws {
        let queue = try DatabaseQueue(path: path.string)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
