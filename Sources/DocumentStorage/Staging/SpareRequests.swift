internal import Synchronization

/// Folders of requests that have ended, kept for the next ones as long as others are under way: many small documents are sent
/// without a folder and a file being made and removed for each, and fetched without a folder, which takes file systems longer than
/// to write them. Knows names alone, and does nothing on the disk.
final class SpareRequests: Sendable {
    private struct Side {
        var underWay: Set<String> = []
        var spare: [String] = []
    }

    /// By the folder around them.
    private let sides = Mutex<[String: Side]>([:])

    /// A request begins.
    ///
    /// - Returns: the last part of the name of one that is not needed any more, which is its own from here on; nil when there
    ///   is none.
    func begin(_ leaf: String, in side: String) -> String? {
        sides.withLock { sides in
            sides[side, default: Side()].underWay.insert(leaf)
            return sides[side]?.spare.popLast()
        }
    }

    /// None of those that are spare is given on any more.
    ///
    /// - Returns: the last parts of their names.
    func forget(_ side: String) -> [String] {
        sides.withLock { sides in
            defer { sides[side]?.spare = [] }
            return sides[side]?.spare ?? []
        }
    }

    /// A request ends.
    ///
    /// - Parameter keeping: whether another one may have its folder.
    /// - Returns: the last parts of the names of those to be removed, its own among them if it is not kept: with the last one
    ///   that was under way, all that are spare.
    func end(_ leaf: String, in side: String, keeping: Bool = false) -> [String] {
        sides.withLock { sides in
            guard var known = sides[side], known.underWay.remove(leaf) != nil else { return [leaf] }
            known.spare.append(leaf)
            guard !known.underWay.isEmpty else {
                sides[side] = nil
                return known.spare
            }
            if !keeping { known.spare.removeLast() }
            sides[side] = known
            return keeping ? [] : [leaf]
        }
    }
}
