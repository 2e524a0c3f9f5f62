import GRDB
import SystemPackage

/// The index, seen and changed from outside.
enum DatabaseEdits {
    /// Takes back what came with the versions since 28, but their number.
    static let toVersion28 = """
        DROP TABLE contents_name; ALTER TABLE kept_version DROP COLUMN name; ALTER TABLE conflict DROP COLUMN name;

        """

    /// The same since 16.
    static let toVersion16 =
        toVersion28 + """
            DROP TABLE open_page; DROP TABLE held_content; DROP TABLE own_side; DROP TABLE remote_side; DROP INDEX item_sides; DROP INDEX item_unsettled;
            ALTER TABLE item DROP COLUMN conflict_versions; ALTER TABLE item DROP COLUMN sides_listed;
            CREATE INDEX item_unsettled ON item (domain, row) WHERE state NOT IN (0, 2) OR problem_code IS NOT NULL;
            DROP TABLE outstanding; DROP TABLE remote_quota; DROP TABLE download_request; DROP TABLE unanswered;
            ALTER TABLE item DROP COLUMN digest; ALTER TABLE item DROP COLUMN proven; ALTER TABLE item DROP COLUMN proven_ns;

            """

    static func execute(_ sql: String, on path: FilePath) throws {
        let queue = try DatabaseQueue(path: path.string)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
