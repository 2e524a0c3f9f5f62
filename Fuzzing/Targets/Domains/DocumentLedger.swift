import Glibc
import Synchronization

/// Which contents there can be: what a provider wrote whole, what callers wrote, and what of that a provider took.
final class DocumentLedger: Sendable {
    private struct State {
        var provided: Set<[UInt8]> = []
        var edited: Set<[UInt8]> = []
        var taken: Set<[UInt8]> = []
        var edits = 0
    }

    private let state = Mutex(State())

    func provided(_ contents: [UInt8]) { state.withLock { _ = $0.provided.insert(contents) } }
    func edited(_ contents: [UInt8]) { state.withLock { _ = $0.edited.insert(contents) } }
    /// A provider has it, or its writer has overwritten it.
    func took(_ contents: [UInt8]) { state.withLock { _ = $0.taken.insert(contents) } }

    /// Contents that there were not before.
    func newEdit() -> [UInt8] {
        state.withLock { state in
            state.edits += 1
            return Array("edit \(state.edits) of a caller ".utf8) + [UInt8](repeating: UInt8(ascii: "-"), count: 40)
        }
    }

    /// Whether a document may have these contents.
    func isKnown(_ contents: [UInt8]) -> Bool {
        state.withLock { $0.provided.contains(contents) || $0.edited.contains(contents) }
    }

    /// What callers wrote and no provider said that it had.
    var unsent: Set<[UInt8]> { state.withLock { $0.edited.subtracting($0.taken) } }

    /// Of a file, no link; nil when there is none, and at most a megabyte.
    static func contents(of path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while contents.count < 1 << 20 {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? contents : nil }
            contents += buffer[..<count]
        }
        return contents
    }

    /// The contents of all files below a folder that are no larger than what is looked for here.
    static func allContents(below folder: String) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: found.formUnion(allContents(below: path))
            case S_IFREG where status.st_size <= 4_096: if let contents = contents(of: path) { found.insert(contents) }
            default: break
            }
        }
        return found
    }
}
