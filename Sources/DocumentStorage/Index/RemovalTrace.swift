internal import DocumentModel

/// What was removed, and where it lay: by that it is known later whether it was a deletion (CONT-13). None was what
/// something else lies in place of by then, nor what lay in a package that itself goes on existing.
struct RemovalTrace: Hashable, Sendable {
    var place: [ItemName]
    /// So many of its names lead to the package that it lay in; 0 where it lay in none.
    var packageDepth: Int
    var stamp: String

    /// - Parameter place: from the domain's top folder.
    init(of item: IndexedItem, at place: [ItemName], packageDepth: Int) {
        self.place = place
        self.packageDepth = packageDepth
        stamp = Self.stamp(of: item)
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let depth = Int(parts[1]), let path = Self.path(parts[2]), !path.isEmpty,
            (0..<path.count).contains(depth)
        else { return nil }
        (stamp, packageDepth, place) = (String(parts[0]), depth, path)
    }

    /// Without colons and spaces.
    var text: String {
        let path = place.map(\.rawValue).joined(separator: "/").utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        return "\(stamp).\(packageDepth).\(path.joined())"
    }

    /// Where something lay, of a trace's words: the same for all that lay there.
    static func place(in text: String) -> Substring { text.drop { $0 != "." } }

    /// Identifiers may follow names (ID-4): other contents are something else. A folder's version is that of what is in it.
    static func stamp(of item: IndexedItem) -> String {
        var hash = StableHash(item.id.rawValue.utf8)
        hash.add(CollectionOfOne(0))
        if item.item.kind == .document { hash.add(item.item.version.content) }
        return hash.digits
    }

    private static func path(_ digits: Substring) -> [ItemName]? {
        let digits = Array(digits.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let names = String(decoding: bytes, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
        let path = names.compactMap { try? ItemName(String($0)) }
        return bytes.count * 2 == digits.count && path.count == names.count ? path : nil
    }
}

/// One of the removals that are judged together, with all that lies below it.
package struct GatheredRemoval: Hashable, Sendable {
    package var count: Int
    /// Of them, as many as are no deletions.
    package var excused = 0
    /// In words of a ``RemovalTrace``.
    package var trace: String?
}

extension IndexReader {
    /// So many are looked at one by one; more are a number.
    private static var mostGathered: Int { 2000 }

    /// What is to go of one side; nothing is excused yet.
    ///
    /// - Parameters:
    ///   - id: is to go as well.
    ///   - only: whether of all that go only that is told.
    func gatheredRemovals(
        of side: RemovalSide, in domain: DomainName, adding id: ItemIdentifier?, only: Bool = false
    ) throws -> [(removal: GatheredRemoval, place: RemovalPlace?)] {
        let own = try reference(to: domain)
        var rows = try sql.all(
            """
            SELECT held_removal.row FROM held_removal CROSS JOIN item ON item.row = held_removal.row
            WHERE side = ? AND item.domain = ? ORDER BY held_removal.row
            """, .int(side.rawValue), .int(own.number)
        ) { $0.int(0) }
        var more = 0
        let added = try id.flatMap { try row(of: $0, own) }
        if let added, !rows.contains(added) {
            rows.append(added)
            more = try countSubtree(row: added)
        }
        guard only || rows.count <= Self.mostGathered else {
            return [(GatheredRemoval(count: try countHeld(of: side, in: domain).items + more), nil)]
        }
        let leaving = Set(rows)
        var known: [Int64: Surroundings] = [:]
        return try rows.filter { !only || $0 == added }.compactMap { row in
            guard let item = try item(row: row, in: domain),
                let parent = try sql.first(
                    "SELECT parent FROM item WHERE row = ?", .int(row), reading: { $0.optionalInt(0) })
                    ?? nil
            else { return nil }
            let around = try surroundings(of: parent, leaving, &known)
            // It is counted with the folder that it goes with.
            guard !around.isLeaving else { return nil }
            let path = try place(orHidden: row)
            let trace = path.map { RemovalTrace(of: item, at: $0, packageDepth: around.packageDepth) }
            return (
                GatheredRemoval(count: try countSubtree(of: item.id, in: domain), trace: trace?.text),
                RemovalPlace(
                    row: row, parent: parent, name: item.item.name?.rawValue ?? "", package: around.package)
            )
        }
    }

    /// Where something lies that is to go.
    struct RemovalPlace {
        var row: Int64
        var parent: Int64
        var name: String
        /// The outermost package around it.
        var package: Int64?
    }

    private struct Surroundings {
        var isLeaving: Bool
        var depth: Int
        var package: Int64?
        var packageDepth: Int
    }

    private func surroundings(
        of row: Int64, _ leaving: Set<Int64>, _ known: inout [Int64: Surroundings]
    ) throws -> Surroundings {
        if let known = known[row] { return known }
        let found = try sql.first("SELECT parent, kind FROM item WHERE row = ?", .int(row)) {
            (parent: $0.optionalInt(0), kind: try ItemRow.kind($0.int(1)))
        }
        var around = Surroundings(isLeaving: false, depth: 0, package: nil, packageDepth: 0)
        if let parent = found?.parent {
            around = try surroundings(of: parent, leaving, &known)
            around.depth += 1
            if around.package == nil, found?.kind == .package {
                (around.package, around.packageDepth) = (row, around.depth)
            }
        }
        around.isLeaving = around.isLeaving || leaving.contains(row)
        known[row] = around
        return around
    }

    /// Nil where it is not shown because of a name.
    private func place(orHidden row: Int64) throws -> [ItemName]? {
        do {
            return try place(of: row)
        } catch let error as DocumentError where error.code == .nameClash {
            return nil
        }
    }

    /// How many of the items that are to go are no deletions.
    func excused(_ removal: GatheredRemoval, at place: RemovalPlace, adding added: Int64?) throws -> Int {
        if let package = place.package, try isGoingOn(package: package, without: added) { return removal.count }
        let other = try sql.first(
            """
            SELECT row FROM item WHERE parent = ? AND name = ? AND row <> ? AND gone = 0
                AND row NOT IN (SELECT row FROM held_removal) LIMIT 1
            """, .int(place.parent), .text(place.name), .int(place.row)
        ) { $0.int(0) }
        return try other.map { min(removal.count, try countSubtree(row: $0)) } ?? 0
    }

    /// How many of the items that went were no deletions, as is known by now.
    func excused(_ entry: RemovalWatchRecord.Entry, in domain: DomainName, adding added: Int64?) throws -> Int {
        guard let trace = entry.trace.flatMap({ RemovalTrace($0) }) else { return 0 }
        if let there = try item(at: Location(domain: domain, components: trace.place)), there.exists,
            RemovalTrace.stamp(of: there) != trace.stamp
        {
            return min(entry.count, try countSubtree(row: there.row))
        }
        guard trace.packageDepth > 0,
            let package = try item(
                at: Location(domain: domain, components: Array(trace.place.prefix(trace.packageDepth)))),
            package.exists, package.item.kind == .package, try isGoingOn(package: package.row, without: added)
        else { return 0 }
        return entry.count
    }

    /// Whether documents stay in a package. One that nothing is left in is as good as gone.
    private func isGoingOn(package row: Int64, without added: Int64?) throws -> Bool {
        try sql.first(
            """
            WITH RECURSIVE sub (row, kind) AS (
                SELECT row, kind FROM item WHERE row = ?1 AND gone = 0 AND row NOT IN (SELECT row FROM held_removal)
                UNION ALL SELECT item.row, item.kind FROM item JOIN sub ON item.parent = sub.row
                WHERE gone = 0 AND item.row <> ?2 AND item.row NOT IN (SELECT row FROM held_removal)
            )
            SELECT 1 FROM sub WHERE kind = 0 LIMIT 1
            """, .int(row), .int(added ?? 0)
        ) { _ in true } ?? false
    }
}
