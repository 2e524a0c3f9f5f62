internal import DocumentModel

/// Moves that the index knows and the tree on disk has not followed yet, because somebody uses what is to be moved.
struct OpenMoves {
    private var moves: [RecordedStep]
    /// Places on disk that recorded work is still going to leave.
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
            guard let step = RecordedStep(open) else { continue }
            leaving.insert(undone(step.place))
            if open.payload.destination != nil { moves.append(step) }
        }
    }

    /// The place on disk of what the index has at a place.
    func undone(_ place: some Collection<ItemName>) -> [ItemName] { PlaceInTime(place).before(moves).names }

    /// The place in the index of what lies at a place on disk: the other way round.
    func done(_ place: [ItemName]) -> [ItemName] { PlaceInTime(place).after(moves).names }

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

    /// Whether a later move has to wait for these: carried out before them it would leave the places that they name to others, and
    /// nobody could tell any more by them where files are. Others may go before: what lies in a folder that is still to be moved
    /// can leave it, and something can come into it.
    func hinder(_ id: ItemIdentifier, from place: [ItemName], to destination: [ItemName]) -> Bool {
        // A folder around them may have got another name since a move was recorded: that one has them by their former names.
        var (former, wanted) = (PlaceInTime(place), PlaceInTime(destination))
        for move in moves.reversed() {
            // It goes on from where an earlier move has it, something is still to come into it, or the name was another's since.
            if move.item == id
                || [former, wanted].contains(where: { move.destination.starts(with: $0.names) })
            {
                return true
            }
            (former, wanted) = (former.before(move), wanted.before(move))
        }
        return done(target(of: destination)) != destination
    }

    /// Where on disk what comes to a place that is free in the index is to be put.
    func target(of destination: [ItemName]) -> [ItemName] {
        undone(destination.dropLast()) + destination.suffix(1)
    }

    /// Whether what lies at a place is going to leave it.
    func isLeaving(_ place: [ItemName]) -> Bool { leaving.contains(place) }
}
