import DocumentModel
import Synchronization

/// Documents whose contents were asked for and have not begun to come (XFER-8).
final class DownloadRequests: Sendable {
    private let counts = Mutex<[ItemKey: Int]>([:])

    func add(_ keys: [ItemKey]) {
        counts.withLock { counts in
            for key in keys { counts[key, default: 0] += 1 }
        }
    }

    /// Each one as often as it was added.
    func remove(_ keys: [ItemKey]) {
        counts.withLock { counts in
            for key in keys {
                guard let count = counts[key] else { continue }
                counts[key] = count > 1 ? count - 1 : nil
            }
        }
    }

    func contains(_ key: ItemKey) -> Bool { counts.withLock { $0[key] != nil } }

    var keys: [ItemKey] { counts.withLock { Array($0.keys) } }
}
