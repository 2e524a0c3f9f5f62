import Synchronization

/// A folder that a program reads: its names as they were when it began.
final class OpenFolder: Sendable {
    struct Entry: Sendable {
        var name: String
        var attributes: NodeAttributes
    }

    struct Names: Sendable {
        var entries: [Entry]
        /// When they were looked at.
        var look: Freshness.Look
    }

    private let read = Mutex<Names?>(nil)

    /// Nil until it was read.
    var names: Names? { read.withLock { $0 } }

    func hold(_ names: Names) { read.withLock { $0 = names } }
}
