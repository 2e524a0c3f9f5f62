import DocumentModel
import DocumentSync

/// Which side of a conflict wins: the rule that the engine goes by, too, and the same on every machine, whichever sides it has as
/// its own (VER-3, VER-12).
struct ConflictContest {
    private var sides: [Side] = []

    private struct Side {
        var version: DocumentVersion
        var rank: ContentsRank
        /// Of the contents, where somebody has said it.
        var digest: [UInt8]?
    }

    /// - Parameters:
    ///   - written: when it counts as written, where that is not what its file says.
    ///   - digest: of the contents: SHA-256, where it is known.
    mutating func add(_ version: DocumentVersion, written: Timestamp? = nil, digest: [UInt8]? = nil) {
        let rank = ContentsRank(stamp: VersionStamp(written ?? version.modified))
        sides.append(Side(version: version, rank: rank, digest: digest))
    }

    /// The winner is current, and comes first; the others are in conflict with it, in the order in which they were added. What
    /// lies in the document's own file and has lost gets the winner's reason: why both are kept.
    ///
    /// - Parameter digest: of the file at a path. It is asked for only where sides were written at the same time.
    func decided(_ digest: (String) throws -> [UInt8]) rethrows -> [DocumentVersion] {
        var sides = sides
        for number in sides.indices {
            let side = sides[number]
            guard sides.filter({ $0.rank.stamp == side.rank.stamp }).count > 1 else { continue }
            sides[number].rank.digest = try side.digest ?? side.version.path.map(digest) ?? []
        }
        guard let top = sides.map(\.rank).max(), let winner = sides.firstIndex(where: { $0.rank == top }) else {
            return []
        }
        var current = sides.remove(at: winner).version
        var others = sides.map(\.version)
        current.kind = .current
        for number in others.indices { others[number].kind = .conflict }
        if let ours = others.firstIndex(where: \.isInPlace) { others[ours].reason = current.reason.take() }
        return [current] + others
    }
}
