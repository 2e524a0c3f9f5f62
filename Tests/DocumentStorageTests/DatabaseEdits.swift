import GRDB
import SystemPackage

/// The index, seen and changed from outside.
enum DatabaseEdits {
    /// Takes back what came with the versions since 16, but their number.
    static let toVersion16 = """
        DROP TABLE download_request; DROP TABLE unanswered;
        ALTER TABLE item DROP COLUMN digest; ALTER TABLE item DROP COLUMN proven; ALTER TABLE item DROP COLUMN proven_ns;

        """

    static func execute(_ sql: String, on path: FilePath) throws {
        let queue = try DatabaseQueue(path: path.string)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
