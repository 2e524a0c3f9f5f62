internal import DocumentModel

/// Moves that the index knows and the tree on disk has not followed yet, because somebody uses what is to be moved.
struct OpenMoves {
    private struct Move {
        var place: [ItemName]
        var destination: [ItemName]
    }

    private var moves: [Move]
    /// Places that recorded work is still going to leave.
    private var leaving: Set<[ItemName]>

    /// - Parameters:
    ///   - entry: only what was recorded before it counts; all when it is nil.
    ///   - removals: whether what is to be removed counts among what is going to leave its place.
    init(
        in domain: DomainName, before entry: JournalEntry? = nil, withRemovals removals: Bool = true,
        _ index: IndexReader
    ) throws {
        moves = []
        leaving = []
        for open in try removals ? index.openTreeWork(in: domain) : index.openMoves(in: domain)
        where open.id < entry?.id ?? .max {
            guard let place = open.payload.place else { continue }
            leaving.insert(place)
            if let destination = open.payload.destination { moves.append(Move(place: place, destination: destination)) }
        }
    }

    /// The place on disk of what the index has at a place.
    func undone(_ place: [ItemName]) -> [ItemName] {
        var place = place
        for move in moves.reversed() where place.starts(with: move.destination) {
            place = move.place + place.dropFirst(move.destination.count)
        }
        return place
    }

    /// The place in the index of what lies at a place on disk: the other way round.
    func done(_ place: [ItemName]) -> [ItemName] {
        var place = place
        for move in moves where place.starts(with: move.place) {
            place = move.destination + place.dropFirst(move.place.count)
        }
        return place
    }

    /// Whether something is still to be moved that lies within a place on disk: it would go along with a move of that place,
    /// and not be found any more.
    func isToMove(within place: [ItemName]) -> Bool {
        var before = self
        while let move = before.moves.popLast() {
            let source = before.undone(move.place)
            if source.count > place.count, source.starts(with: place) { return true }
        }
        return false
    }

    var isEmpty: Bool { moves.isEmpty }

    /// Whether something else lies on disk where the index has a place: it is still to be moved away.
    func isOccupied(_ place: [ItemName]) -> Bool { done(undone(place)) != place }

    /// Whether what lies at a place is going to leave it.
    func isLeaving(_ place: [ItemName]) -> Bool { leaving.contains(place) }
}
