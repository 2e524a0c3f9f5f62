import GRDB
import SystemPackage

/// The index, seen and changed from outside.
enum DatabaseEdits {
    static func execute(_ sql: String, on path: FilePath) throws {
        let queue = try DatabaseQueue(path: path.string)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }
}
