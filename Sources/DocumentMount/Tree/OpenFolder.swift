import DocumentModel
import Synchronization

/// A folder that a program reads: its names as they were when it began.
final class OpenFolder: Sendable {
    struct Entry: Sendable {
        var name: String
        /// Where a program goes on behind it: the same in each listing, so that it finds its place in another one.
        var position: Int
        var attributes: NodeAttributes
        /// The item's own number, which it need not be shown by.
        var own: UInt64
        /// Nil for the folder itself and the one around it.
        var identity: NodeTable.Identity?
    }

    struct Names: Sendable {
        var entries: [Entry]
        /// Nil for the folder of all domains.
        var location: Location?
        /// When they were looked at.
        var look: Freshness.Look
        var changes: UInt64

        /// The first one behind a position; that may be of a name that is not there any more.
        func index(behind position: Int) -> Int {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].position > position { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// Of a name; 1 and 2 are of the folder itself and the one around it.
    static func position(of name: String) -> Int {
        if name == "." { return 1 }
        if name == ".." { return 2 }
        return ListingPosition.of(name)
    }

    /// In the order of their positions, each with one of its own.
    static func ordered(_ entries: [Entry]) -> [Entry] {
        var entries = entries.sorted {
            $0.position != $1.position
                ? $0.position < $1.position : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        for index in entries.indices.dropFirst() where entries[index].position <= entries[index - 1].position {
            entries[index].position = entries[index - 1].position + 1
        }
        return entries
    }

    /// Whether the kernel keeps what it is told through it.
    let isKept: Bool
    private let read = Mutex<Names?>(nil)

    /// Nil until it was read.
    var names: Names? { read.withLock { $0 } }

    init(isKept: Bool) { self.isKept = isKept }

    func hold(_ names: Names) { read.withLock { $0 = names } }
}
