/// Who changes names in which folders, and what is given another place meanwhile: a pure state machine.
///
/// Those who change names in a folder go by where it is. They wait until it is moved no more, nor a folder around it, and who moves
/// it waits for them. All others go on side by side, and nobody overtakes whom it would have to wait for.
package struct NameTurns: Sendable {
    package typealias Number = NodeTable.Number
    package typealias Turn = UInt64

    package struct Change: Hashable, Sendable {
        /// In which names are changed.
        package var folders: [Number]
        /// What gets another place, if anything does.
        package var moved: Number?

        package init(in folders: [Number], moving moved: Number? = nil) {
            (self.folders, self.moved) = (folders, moved)
        }
    }

    private struct Begun {
        var moved: Number?
        /// The folders, and those around them.
        var around: Set<Number>

        func excludes(_ other: Begun) -> Bool {
            moved.map(other.around.contains) == true || other.moved.map(around.contains) == true
        }
    }

    private var last: Turn = 0
    private var begun: [Turn: Begun] = [:]
    /// In the order in which they came.
    private var waiting: [(turn: Turn, change: Change)] = []

    package init() {}

    /// Whether nobody has a turn, or waits for one.
    package var isIdle: Bool { begun.isEmpty && waiting.isEmpty }

    /// Asks for a turn.
    ///
    /// - Parameter around: a folder, and all those around it, as of now.
    /// - Returns: the turn, and whether it begins at once; else ``end(_:around:)`` says when.
    package mutating func ask(_ change: Change, around: (Number) -> [Number]) -> (turn: Turn, begins: Bool) {
        last += 1
        waiting.append((last, change))
        return (last, next(around).contains(last))
    }

    /// A turn is over, or nobody waits for it any more.
    ///
    /// - Returns: those that begin now.
    package mutating func end(_ turn: Turn, around: (Number) -> [Number]) -> [Turn] {
        begun[turn] = nil
        waiting.removeAll { $0.turn == turn }
        return next(around)
    }

    private mutating func next(_ around: (Number) -> [Number]) -> [Turn] {
        var (begins, earlier): ([Turn], [Begun]) = ([], [])
        for (turn, change) in waiting {
            let wanted = Begun(moved: change.moved, around: Set(change.folders.flatMap(around)))
            if earlier.contains(where: wanted.excludes) || begun.values.contains(where: wanted.excludes) {
                earlier.append(wanted)
                continue
            }
            begun[turn] = wanted
            begins.append(turn)
        }
        waiting.removeAll { begins.contains($0.turn) }
        return begins
    }
}
