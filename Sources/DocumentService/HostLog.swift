import Glibc
import Synchronization

/// The log of a daemon that a tool has started: the file that its standard error is. It keeps itself small: a full one is
/// renamed to `host.log.1`, what had that name to `host.log.2` and so on, and the oldest goes.
final class HostLog: Sendable {
    /// Bytes after which a file is full.
    static let limit: Int64 = 8 << 20
    /// How many full ones are kept.
    static let kept = 3

    /// Nil while standard error is something else than the log.
    private let path = Mutex<String?>(nil)

    /// From now on, if standard error is the log. Not before the storage root is this daemon's: a second one that is
    /// started for the same root has the same log, and ends.
    func begin(at path: String) {
        self.path.withLock { $0 = Self.isOpen(path, as: STDERR_FILENO) ? path : nil }
    }

    /// After something was written.
    func keepSmall() {
        path.withLock { path in
            guard let path, Self.isFull else { return }
            Self.turn(path)
        }
    }

    private static var isFull: Bool {
        var status = stat()
        return fstat(STDERR_FILENO, &status) == 0 && status.st_size >= limit
    }

    private static func isOpen(_ path: String, as descriptor: Int32) -> Bool {
        var (open, named) = (stat(), stat())
        return fstat(descriptor, &open) == 0 && lstat(path, &named) == 0 && open.st_mode & S_IFMT == S_IFREG
            && open.st_dev == named.st_dev && open.st_ino == named.st_ino
    }

    /// When somebody else has put the full one away, or removed it, there is only a new one to begin.
    private static func turn(_ path: String) {
        if isOpen(path, as: STDERR_FILENO) {
            for number in (1..<kept).reversed() { rename("\(path).\(number)", "\(path).\(number + 1)") }
            guard rename(path, "\(path).1") == 0 else { return }
        }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        if isOutputThere { _ = dup2(file, STDOUT_FILENO) }
        _ = dup2(file, STDERR_FILENO)
        close(file)
    }

    private static var isOutputThere: Bool {
        var (output, error) = (stat(), stat())
        return fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0
            && output.st_dev == error.st_dev && output.st_ino == error.st_ino
    }
}
