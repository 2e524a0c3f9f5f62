internal import DocumentModel

/// Names and places: moves and clashes.
extension ItemApplier {
    // MARK: Moving

    /// Sees to it that an item is where the provider has it, or waits for that.
    ///
    /// - Returns: whether anything changed.
    mutating func place(
        _ existing: Existing, _ id: ItemIdentifier, _ name: ItemName, _ key: String, _ parent: Int64
    ) throws -> Bool {
        // What was told of it before does not count any more.
        let isDue = !waiting.isEmpty && waiting.contains { $0.row == existing.row }
        if isDue { waiting.removeAll { $0.row == existing.row } }
        if existing.parent == parent, existing.name.hasSameBytes(as: name.rawValue) {
            guard existing.wantedName != nil else { return false }
            try setWanted(nil, ofRow: existing.row)
            try transaction.setProblem(nil, of: id, in: domain.name)
            return true
        }
        let move = WaitingMove(row: existing.row, id: id, parent: parent, name: name, key: key)
        let isBlocked = try isBlocked(move)
        // It waits for that already; unless the name became free earlier in the same page.
        if isBlocked || !isDue, existing.wantedParent == parent,
            existing.wantedName?.hasSameBytes(as: name.rawValue) == true
        {
            return false
        }
        if isBlocked {
            // Perhaps what is in the way moves too, later in the same page. What it waited for before it waits for no more.
            if existing.wantedName != nil { try setWanted(move, ofRow: existing.row) }
            waiting.append(move)
        } else {
            try perform(move)
        }
        return true
    }

    /// Whether a name is taken, or the folder around it is not in the tree: what is on disk could not follow. So too while
    /// the folder still lies within what is moved, and may be about to leave it.
    private func isBlocked(_ move: WaitingMove) throws -> Bool {
        if let holder = try holder(of: move.key, in: move.parent), holder != move.row { return true }
        if try isWithin(move.parent, move.row) { return true }
        return try shownPlace(of: move.parent) == nil && shownPlace(of: move.row) != nil
    }

    func isWithin(_ row: Int64, _ folder: Int64) throws -> Bool {
        var next: Int64? = row
        var steps = 0
        while let current = next, steps < 4 * IndexReader.maximumDepth {
            if current == folder { return true }
            next = try parent(of: current)
            steps += 1
        }
        return next != nil
    }

    /// Gives a row its new place, and writes down what that means for the tree on disk.
    mutating func perform(_ move: WaitingMove) throws {
        guard let (_, existing) = try existing(row: move.row), let oldParent = existing.parent else { return }
        guard try !isWithin(move.parent, move.row) else {
            return reject(move.id, "was moved into itself")
        }
        // The folder may have been deleted while the move waited.
        guard try self.existing(row: move.parent) != nil else { return }
        guard try !isTooDeep(move, from: oldParent, existing.kind) else {
            return reject(
                move.id, "was moved to where it reaches deeper than \(IndexReader.maximumDepth) folders")
        }
        // Taken up twice: once as what waits, and once because its name became free.
        if oldParent == move.parent, existing.name.hasSameBytes(as: move.name.rawValue), existing.wantedName == nil {
            return
        }
        let old = try shownPlace(of: move.row)
        try sql.run(
            """
            UPDATE item SET parent = ?, name = ?, name_key = ?, state = CASE state WHEN 7 THEN 0 ELSE state END,
                problem_code = CASE WHEN wanted_key IS NULL THEN problem_code END,
                problem = CASE WHEN wanted_key IS NULL THEN problem END, wanted_parent = NULL, wanted_name = NULL, wanted_key = NULL
            WHERE row = ?
            """, .int(move.parent), .text(move.name.rawValue), .text(move.key), .int(move.row))
        if let old, let new = try shownPlace(of: move.row) {
            var payload = JournalPayload()
            payload.place = old
            payload.destination = new
            payload.kind = existing.kind
            outcome.work.append(
                try transaction.begin(.renameRecorded, item: move.id, in: domain.name, payload: payload))
        }
        if existing.state != Self.clash, oldParent != move.parent || !existing.key.hasSameBytes(as: move.key) {
            try release(existing.key, in: oldParent)
        }
        if old == nil { try becameShown(existing.kind) }
    }

    /// The place of a row in the tree; nil when it is not shown there.
    func shownPlace(of row: Int64) throws -> [ItemName]? { try transaction.shownPlace(of: row) }

    /// A folder is shown from now on: see ``IndexTransaction/keepApart(_:in:)``.
    mutating func keepApart(_ id: ItemIdentifier) throws {
        if let move = try transaction.keepApart(id, in: domain.name) { outcome.work.append(move) }
    }

    // MARK: Names that are taken

    func setWanted(_ move: WaitingMove?, ofRow row: Int64) throws {
        try sql.run(
            "UPDATE item SET wanted_parent = ?, wanted_name = ?, wanted_key = ? WHERE row = ?",
            SQLValue(move?.parent), SQLValue(move?.name.rawValue), SQLValue(move?.key), .int(row))
    }

    /// Carries out what waited for a name, as far as the names became free; what is left keeps its old place and
    /// wants the new one.
    mutating func settleWaiting() throws {
        // Those that wait since earlier, and were taken up once something of now cannot go on: they may be in its ring.
        var earlier: Set<Int64>?
        while !waiting.isEmpty {
            // Some may be gone by now, and what they waited for with them.
            let moves = try waiting.filter { try existing(row: $0.row) != nil }
            waiting = []
            let blocked = try carryOut(moves)
            if blocked.count < moves.count {
                let known = Set(blocked.map(\.row))
                waiting = waiting.filter { !known.contains($0.row) } + blocked
            } else if earlier == nil {
                let known = Set(blocked.map(\.row))
                // What only the tree on disk keeps from its name waits for that.
                let others = try wanting().filter { try !known.contains($0.row) && isBlocked($0) }
                earlier = Set(others.map(\.row))
                waiting += blocked + others
            } else if case let rings = try firstInRings(of: blocked), !rings.isEmpty {
                // A and B exchange their names: one of them steps aside first.
                for ring in rings {
                    try stepAside(ring)
                    earlier?.remove(ring.row)
                }
                waiting += blocked
            } else {
                for move in blocked where earlier?.contains(move.row) != true {
                    guard try !isWithin(move.parent, move.row) else {
                        reject(move.id, "was moved into itself")
                        continue
                    }
                    try setWanted(move, ofRow: move.row)
                    let error = DocumentError(
                        .nameClash,
                        "The provider calls this item “\(move.name)” now, but another item (or its folder) has that name here but for case or Unicode form: rename one of the two."
                    )
                    try transaction.setProblem(error, of: move.id, in: domain.name)
                    outcome.clashes.append(move.id)
                }
            }
        }
    }

    /// Carries out the moves that nothing is in the way of. What waits for a name that became free comes next: whatever the order in
    /// which the names are wanted, each move is looked at once or twice, and not all of them for each that is carried out.
    ///
    /// - Returns: those that something is in the way of, in their order.
    private mutating func carryOut(_ moves: [WaitingMove]) throws -> [WaitingMove] {
        var waiters: [WantedName: [Int]] = [:]
        for (index, move) in moves.enumerated() {
            waiters[WantedName(parent: move.parent, key: move.key), default: []].append(index)
        }
        var isDone = [Bool](repeating: false, count: moves.count)
        for first in moves.indices where !isDone[first] {
            var due = [first]
            while let index = due.popLast() {
                let move = moves[index]
                guard !isDone[index], try !isBlocked(move) else { continue }
                let before = try existing(row: move.row)?.existing
                isDone[index] = true
                try perform(move)
                guard let before, let parent = before.parent else { continue }
                // The first one that waits is the next; the others, should that be kept from it by something else.
                due += (waiters[WantedName(parent: parent, key: before.key)] ?? []).reversed()
            }
        }
        return moves.indices.filter { !isDone[$0] }.map { moves[$0] }
    }

    private struct WantedName: Hashable {
        var parent: Int64
        var key: String
    }

    /// Of each ring of moves that wait for each other one whose name another one waits for: when it steps aside, that one may go on.
    private func firstInRings(of moves: [WaitingMove]) throws -> [WaitingMove] {
        let byRow = Dictionary(moves.map { ($0.row, $0) }) { $1 }
        // Each waits for one: whoever was seen on the way of another leads to the same ring, or to none.
        var seen: Set<Int64> = []
        var found: [WaitingMove] = []
        for move in moves where !seen.contains(move.row) {
            var current = move
            var places: [Int64: Int] = [:]
            var blockers: [(move: WaitingMove, hasName: Bool)] = []
            while seen.insert(current.row).inserted {
                places[current.row] = blockers.count
                guard let blocker = try blocker(of: current, among: byRow) else { break }
                blockers.append(blocker)
                current = blocker.move
            }
            guard let begin = places[current.row], begin < blockers.count else { continue }
            if let first = blockers[begin...].first(where: \.hasName) { found.append(first.move) }
        }
        return found
    }

    /// What a move waits for, where that is to move, too: the holder of the name that it wants, or of the name of a hidden
    /// folder that it is to lie in (the move itself, perhaps); or a folder around its place that still lies within it.
    private func blocker(
        of move: WaitingMove, among moves: [Int64: WaitingMove]
    ) throws -> (move: WaitingMove, hasName: Bool)? {
        if let holder = try holder(of: move.key, in: move.parent), holder != move.row {
            return moves[holder].map { ($0, true) }
        }
        var around: Int64? = move.parent
        var steps = 0
        while let current = around, steps < 2 * IndexReader.maximumDepth,
            let folder = try existing(row: current)?.existing
        {
            if folder.state == Self.clash, let parent = folder.parent,
                let holder = try holder(of: folder.key, in: parent), let other = moves[holder]
            {
                return (other, true)
            }
            around = folder.parent
            steps += 1
        }
        guard try isWithin(move.parent, move.row) else { return nil }
        var next: Int64? = move.parent
        while let current = next, current != move.row {
            if let other = moves[current] { return (other, false) }
            next = try parent(of: current)
        }
        return nil
    }

    private mutating func stepAside(_ move: WaitingMove) throws {
        guard let (id, existing) = try existing(row: move.row), let parent = existing.parent else { return }
        let name = try ItemName(Self.asideName(of: move.row))
        try perform(
            WaitingMove(row: move.row, id: id, parent: parent, name: name, key: FoldedName(name).text))
    }

    /// A name became free: it goes to the item that was hidden because of it, or to one that wants it.
    mutating func release(_ key: String, in parent: Int64) throws {
        guard try holder(of: key, in: parent) == nil else { return }
        let hidden = try sql.first(
            "SELECT row FROM item WHERE parent = ? AND name_key = ? AND state = 7 ORDER BY row LIMIT 1", .int(parent),
            .text(key)
        ) { $0.int(0) }
        if let hidden {
            try sql.run("UPDATE item SET state = 0 WHERE row = ?", .int(hidden))
            outcome.updated += 1
            if let (id, shown) = try existing(row: hidden) {
                if shown.kind.isFolder { try keepApart(id) }
                try becameShown(shown.kind)
            }
            try report(hidden)
            // It has its name only until it gets the one that it wants; others wait for this one, perhaps, in a ring.
            return try takeUp(wanting("row = ?", [.int(hidden)]))
        }
        // Not at once: releasing goes on from name to name, however many there are.
        try takeUp(wanting("wanted_parent = ? AND wanted_key = ? ORDER BY row LIMIT 1", [.int(parent), .text(key)]))
    }

    /// What waits since earlier is tried again.
    private mutating func takeUp(_ moves: [WaitingMove]) {
        // Mostly nothing waits for a name; and of what is told of at once, much may.
        if moves.isEmpty { return }
        let known = Set(waiting.map(\.row))
        waiting += moves.filter { !known.contains($0.row) }
    }

    /// A folder came into the tree: what wanted to be in it, or in one below it, may.
    private mutating func becameShown(_ kind: ItemKind) throws {
        guard kind != .document else { return }
        try takeUp(wanting())
    }

    mutating func retryWanted() throws {
        waiting = try wanting()
        try settle()
    }

    /// All of the domain that wait.
    func wanting() throws -> [WaitingMove] { try wanting("+domain = ?", [.int(domain.number)]) }

    private func wanting(_ condition: String, _ values: [SQLValue]) throws -> [WaitingMove] {
        try sql.all(
            """
            SELECT row, id, wanted_parent, wanted_name, wanted_key FROM item
            WHERE wanted_key IS NOT NULL AND \(condition)
            """, values
        ) { row in
            WaitingMove(
                row: row.int(0), id: try ItemIdentifier(row.text(1)), parent: row.int(2),
                name: try ItemName(row.text(3)), key: row.text(4))
        }
    }

    /// Of what steps aside for a moment.
    static var asidePrefix: String { ".docent-moving-" }
    static func asideName(of row: Int64) -> String { "\(asidePrefix)\(row)" }
}
