internal import DocumentModel

/// Names and places: moves, clashes, deletions.
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
    private func shownPlace(of row: Int64) throws -> [ItemName]? {
        do {
            return try transaction.place(of: row)
        } catch let error as DocumentError where error.code == .nameClash {
            return nil
        }
    }

    // MARK: Names that are taken

    private func setWanted(_ move: WaitingMove?, ofRow row: Int64) throws {
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
            var blocked: [WaitingMove] = []
            let moves = waiting
            waiting = []
            for move in moves {
                if try isBlocked(move) {
                    blocked.append(move)
                } else {
                    try perform(move)
                }
            }
            if blocked.count < moves.count {
                let known = Set(blocked.map(\.row))
                waiting = waiting.filter { !known.contains($0.row) } + blocked
            } else if earlier == nil {
                let known = Set(blocked.map(\.row))
                // What only the tree on disk keeps from its name waits for that.
                let others = try wanting().filter { try !known.contains($0.row) && isBlocked($0) }
                earlier = Set(others.map(\.row))
                waiting += blocked + others
            } else if let ring = try firstInRing(of: blocked) {
                // A and B exchange their names: one of them steps aside first.
                try stepAside(ring)
                earlier?.remove(ring.row)
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

    /// Of moves that wait for each other one whose name another one waits for: when it steps aside, that one may go on.
    private func firstInRing(of moves: [WaitingMove]) throws -> WaitingMove? {
        let byRow = Dictionary(moves.map { ($0.row, $0) }) { $1 }
        // Each waits for one: whoever was seen on the way of another leads to the same ring, or to none.
        var seen: Set<Int64> = []
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
            if let found = blockers[begin...].first(where: \.hasName) { return found.move }
        }
        return nil
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
        let name = try ItemName("\(Self.asidePrefix)\(move.row)")
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
            try becameShown(try existing(row: hidden)?.existing.kind ?? .document)
            return try report(hidden)
        }
        let wanting = try sql.first(
            "SELECT row, id, wanted_name FROM item WHERE wanted_parent = ? AND wanted_key = ? ORDER BY row LIMIT 1",
            .int(parent), .text(key)
        ) { row in
            WaitingMove(
                row: row.int(0), id: try ItemIdentifier(row.text(1)), parent: parent, name: try ItemName(row.text(2)),
                key: key)
        }
        // Not at once: releasing goes on from name to name, however many there are.
        if let wanting, !waiting.contains(where: { $0.row == wanting.row }) {
            waiting.append(wanting)
        }
    }

    /// A folder came into the tree: what wanted to be in it, or in one below it, may.
    private mutating func becameShown(_ kind: ItemKind) throws {
        guard kind != .document else { return }
        let known = Set(waiting.map(\.row))
        waiting += try wanting().filter { !known.contains($0.row) }
    }

    mutating func retryWanted() throws {
        waiting = try wanting()
        try settle()
    }

    private func wanting() throws -> [WaitingMove] {
        try sql.all(
            """
            SELECT row, id, wanted_parent, wanted_name, wanted_key FROM item
            WHERE wanted_key IS NOT NULL AND +domain = ?
            """, .int(domain.number)
        ) { row in
            WaitingMove(
                row: row.int(0), id: try ItemIdentifier(row.text(1)), parent: row.int(2),
                name: try ItemName(row.text(3)), key: row.text(4))
        }
    }

    /// Puts a row back to where its file still is; it goes on wanting the place that it cannot have.
    ///
    /// - Returns: false when its place is another's for good. What was changed until then is to be rolled back.
    mutating func revertMove(of id: ItemIdentifier, to place: [ItemName]) throws -> Bool {
        guard let existing = try existing(id), let parent = existing.parent, let name = place.last else { return false }
        var folder = domain.root
        for component in place.dropLast() {
            guard
                let next = try sql.first(
                    "SELECT row FROM item WHERE parent = ? AND name_key = ? AND name = ? AND state <> 7", .int(folder),
                    .text(FoldedName(component).text), .text(component.rawValue), reading: { $0.int(0) })
            else { return false }
            folder = next
        }
        let key = FoldedName(name).text
        if let holder = try holder(of: key, in: folder), holder != existing.row {
            guard try stepBack(holder) else { return false }
        }
        let wanted = WaitingMove(
            row: existing.row, id: id, parent: parent, name: try ItemName(existing.name), key: existing.key)
        try sql.run(
            "UPDATE item SET parent = ?, name = ?, name_key = ? WHERE row = ?", .int(folder), .text(name.rawValue),
            .text(key), .int(existing.row))
        // Perhaps it has been told of another place since, and waits for that.
        if existing.wantedName == nil { try setWanted(wanted, ofRow: existing.row) }
        return true
    }

    /// Whether nothing was recorded later under the name that a move gave: it could not be found any more.
    func canTakeBack(_ entry: JournalEntry) throws -> Bool {
        guard entry.payload.kind != .document, let destination = entry.payload.destination else { return true }
        return try !transaction.openTreeWork(in: domain.name).contains { later in
            later.id > entry.id && later.itemID != entry.itemID
                && [later.payload.place, later.payload.destination].contains { $0?.starts(with: destination) == true }
        }
    }

    /// What has come to a place whose file has not left it goes back to where its own file is, or is hidden where nothing of it
    /// is here.
    ///
    /// - Returns: false when it has to stay.
    private mutating func stepBack(_ row: Int64) throws -> Bool {
        guard let (id, before) = try existing(row: row), let parent = before.parent else { return false }
        let moves = try transaction.journal(of: id, in: domain.name).filter { $0.step == .renameRecorded }
        for entry in moves.reversed() {
            guard try canTakeBack(entry), let place = entry.payload.place, try revertMove(of: id, to: place),
                let now = try existing(row: row)?.existing
            else { return false }
            try transaction.finish(entry)
            let isAside = now.name.hasPrefix(Self.asidePrefix)
            if !isAside, now.parent != parent || !now.key.hasSameBytes(as: before.key) { return true }
        }
        guard moves.isEmpty, before.kind == .document, before.state == 0 else { return false }
        try sql.run("UPDATE item SET state = 7 WHERE row = ?", .int(row))
        outcome.clashes.append(id)
        return true
    }

    /// Of what steps aside for a moment.
    private static var asidePrefix: String { ".docent-moving-" }

    // MARK: Deleting

    mutating func delete(_ ids: [ItemIdentifier]) throws {
        for id in ids {
            guard let row = try transaction.row(of: id, domain) else { continue }
            guard row != domain.root else {
                reject(id, "is the top folder, which cannot go away")
                continue
            }
            try deleteOrHold(row: row)
        }
        try settle()
    }

    /// Deletes a row and all below it; where contents are here, those have to be cleared first, and the row is
    /// `gone` until then.
    mutating func delete(row: Int64) throws {
        guard let (id, existing) = try existing(row: row) else { return }
        // The provider does not know it yet, and so cannot say that it is gone.
        if id.isArriving { return }
        if existing.kind != .document { try takeOutRelocated(of: row) }
        let hasContents: Bool
        if existing.kind == .document {
            hasContents = existing.state != 0 && existing.state != Self.clash
        } else {
            hasContents =
                try sql.first(
                    Self.subtree
                        + "SELECT 1 FROM item JOIN sub ON sub.row = item.row WHERE state NOT IN (0, 7) LIMIT 1",
                    .int(row)
                ) { _ in true } ?? false
        }
        if existing.isGone, hasContents, try !transaction.journal(of: id, in: domain.name).isEmpty { return }
        if let place = try shownPlace(of: row) {
            var payload = JournalPayload()
            payload.place = place
            payload.kind = existing.kind
            outcome.work.append(try transaction.begin(.removeRecorded, item: id, in: domain.name, payload: payload))
        }
        if hasContents {
            try sql.run("UPDATE item SET gone = 1 WHERE row = ?", .int(row))
        } else {
            try deleteRows(row, existing)
        }
    }

    mutating func deleteCleared(_ id: ItemIdentifier) throws {
        guard let existing = try existing(id), existing.row != domain.root else { return }
        try deleteRows(existing.row, existing)
        try settle()
    }

    private mutating func deleteRows(_ row: Int64, _ existing: Existing) throws {
        if existing.kind == .document {
            try sql.run("DELETE FROM item WHERE row = ?", .int(row))
            try count(.document, -1)
            outcome.deleted += 1
        } else {
            var inside: (all: Int64, folders: Int64) = (0, 0)
            _ = try sql.first(
                Self.subtree + "SELECT count(*), sum(kind = 1) FROM item JOIN sub ON sub.row = item.row", .int(row)
            ) { inside = ($0.int(0), $0.int(1)) }
            // One statement, so that the rows' references to each other are checked when all are gone.
            try sql.run(Self.subtree + "DELETE FROM item WHERE row IN (SELECT row FROM sub)", .int(row))
            folders -= inside.folders
            documents -= inside.all - inside.folders
            outcome.deleted += Int(inside.all)
        }
        if let parent = existing.parent, existing.state != Self.clash { try release(existing.key, in: parent) }
    }

    private static var subtree: String {
        """
        WITH RECURSIVE sub (row) AS (
            SELECT ? UNION ALL SELECT item.row FROM item JOIN sub ON item.parent = sub.row
        )

        """
    }
}
