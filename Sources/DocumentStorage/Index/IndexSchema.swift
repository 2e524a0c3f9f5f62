internal import DocumentModel
internal import GRDB

/// The tables, and how they came to be what they are. Old versions are brought up to date when the index is opened;
/// newer ones are refused.
enum IndexSchema {
    /// “Dcnt”: what `file` and other programs may tell the database by.
    private static let applicationID: Int64 = 0x4463_6E74

    static func migrate(_ connection: SQLConnection, path: String) throws {
        let identifier = try connection.first("PRAGMA application_id") { $0.int(0) } ?? 0
        let version = Int(try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0)
        let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) } ?? 0
        guard identifier == applicationID || (identifier == 0 && version == 0 && tables == 0) else {
            throw DocumentError(
                .localStorage, "\(path) is a database of another program: move it away, and a new index is made.")
        }
        guard version <= steps.count else {
            throw DocumentError(
                .localStorage,
                "\(path) was written by a newer Docent (schema \(version), this one knows \(steps.count)): update Docent."
            )
        }
        for step in steps[version...] { try connection.database.execute(sql: step) }
        try connection.database.execute(
            sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count)")
    }

    /// One a version; never changed once released.
    private static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8,
        version9, version10, version11, version12, version13, version14, version15,
        version16, version17, version18, version19, version20,
        version21, version22, version23, version24, version25,
        version26, version27, version28, version29,
    ]
}
