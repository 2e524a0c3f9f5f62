import Synchronization

/// A folder that a program reads: its names as they were when it began.
final class OpenFolder: Sendable {
    struct Entry: Sendable {
        var name: String
        var attributes: NodeAttributes
        /// Nil for the folder itself and the one around it.
        var identity: NodeTable.Identity?
    }

    struct Names: Sendable {
        var entries: [Entry]
        /// When they were looked at.
        var look: Freshness.Look
        var changes: UInt64
    }

    private let read = Mutex<Names?>(nil)

    /// Nil until it was read.
    var names: Names? { read.withLock { $0 } }

    func hold(_ names: Names) { read.withLock { $0 = names } }
}
