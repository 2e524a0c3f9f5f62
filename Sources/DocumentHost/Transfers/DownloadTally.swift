import DocumentModel
import Synchronization

/// For whom contents were brought since the host's start: who looks into every file, and has all of it brought, is seen here.
final class DownloadTally: Sendable {
    /// Those that nothing was brought for longest make room.
    private static let most = 16

    private let entries = Mutex<[BroughtFor]>([])

    /// The last one first.
    var all: [BroughtFor] { entries.withLock { $0 } }

    func add(_ who: String, bytes: UInt64, at location: Location) {
        entries.withLock { entries in
            let known = entries.firstIndex { $0.who == who }.map { entries.remove(at: $0) }
            var entry = known ?? BroughtFor(who: who, documents: 0, bytes: 0, last: location)
            entry.documents += 1
            entry.bytes += bytes
            entry.last = location
            entries.insert(entry, at: 0)
            entries = Array(entries.prefix(Self.most))
        }
    }
}
