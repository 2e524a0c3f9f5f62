import DocumentModel
import Glibc
import Synchronization

/// The type database of this machine, read when it is first asked for and again when its files have changed.
///
/// Where it is not installed, what ``ContentType`` knows itself has to do.
package final class MachineTypes: Sendable {
    /// Larger files are not databases of types.
    private static let largestFile = 16 * 1_048_576
    private static let names = ["globs2", "subclasses", "aliases"]

    private struct Stamp: Equatable {
        var inode: UInt
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    private struct State {
        var stamps: [[Stamp?]] = []
        var database = TypeDatabase()
    }

    private let folders: [String]
    private let state = Mutex(State())

    /// - Parameter folders: those that hold `globs2`, the highest rank first.
    package init(folders: [String]) {
        self.folders = folders
    }

    /// The usual folders: `mime` below `XDG_DATA_HOME` and `XDG_DATA_DIRS`.
    package convenience init(environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
        let all = [home].compactMap { $0 } + others
        self.init(folders: all.filter { $0.hasPrefix("/") }.map { $0 + "/mime" })
    }

    /// What the machine knows now. Blocks, for a few file attributes as a rule.
    package var current: TypeDatabase {
        let stamps = folders.map { folder in Self.names.map { Self.stamp(folder + "/" + $0) } }
        return state.withLock { state in
            if state.stamps == stamps { return state.database }
            var database = TypeDatabase()
            for folder in folders {
                let texts = Self.names.map { Self.text(folder + "/" + $0) }
                database.add(globs: texts[0], subclasses: texts[1], aliases: texts[2])
            }
            state.stamps = stamps
            state.database = database
            return database
        }
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: status.st_ino, size: status.st_size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    /// A file's text; empty when it is not there, or is something else than a text file of a sensible size.
    private static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (1...largestFile).contains(status.st_size)
        else { return "" }
        var bytes = [UInt8](repeating: 0, count: status.st_size)
        var count = 0
        while count < bytes.count {
            let result = bytes.withUnsafeMutableBytes {
                read(file, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard result > 0 else { break }
            count += result
        }
        return String(validating: bytes[..<count], as: UTF8.self) ?? ""
    }
}
