import DocumentModel
import FileCoordination
import Synchronization

/// Which items somebody is removing just now, or waits for others to remove, and how many do.
final class RemovalsUnderWay: Sendable {
    private struct Removals {
        var count = 0
        /// One of them has begun: some of it may be gone.
        var hasBegun = false
    }

    private let removals = Mutex<[ItemKey: Removals]>([:])

    func begin(_ keys: [ItemKey]) {
        removals.withLock { removals in
            for key in keys { removals[key, default: Removals()].count += 1 }
        }
    }

    /// - Parameter hasBegun: something was removed, or may be.
    /// - Returns: those that nobody is about to remove any more, and nobody has begun to.
    func end(_ keys: [ItemKey], hasBegun: Bool) -> [ItemKey] {
        removals.withLock { removals in
            keys.filter { key in
                guard var left = removals[key] else { return false }
                left.count -= 1
                left.hasBegun = left.hasBegun || hasBegun
                removals[key] = left.count > 0 ? left : nil
                return left.count <= 0 && !left.hasBegun
            }
        }
    }
}
