package import DocumentModel

/// A part of what was found below a folder.
package struct FoundItems: Sendable {
    package var items: [(item: IndexedItem, location: Location)] = []
    /// The row that was looked at last; nil when there are no more.
    package var next: Int64?
    /// Whether a folder was passed that was never listed to its end.
    package var isIncomplete = false
}

extension IndexReader {
    /// How many rows are looked at in one go: a few milliseconds.
    package static let searchReach: Int64 = 50_000

    /// Items below a folder that have all of the words in their names, in the order of their rows. What is inside of a package is
    /// a part of that, and not found; nor is what is not shown because of its name.
    ///
    /// - Parameters:
    ///   - words: folded, as names are (``FoldedName``); at least one.
    ///   - after: what the part before gave as ``FoundItems/next``.
    ///   - limit: how many items there may be; not more than ``searchReach`` rows are looked at anyway.
    package func items(
        named words: [String], below folder: ItemIdentifier, in domain: DomainName, after: Int64 = 0, limit: Int,
        reach: Int64 = IndexReader.searchReach
    ) throws -> FoundItems {
        let own = try reference(to: domain)
        var inside = InsideCheck(folder: try knownRow(of: folder, own), index: self)
        let last = try sql.first("SELECT coalesce(max(row), 0) FROM item") { $0.int(0) } ?? 0
        let end = min(last, after.addingReportingOverflow(reach).partialValue)
        var found = FoundItems()
        // The longest word lets the fewest through.
        let first = words.max { $0.utf8.count < $1.utf8.count } ?? ""
        let candidates = try sql.all(
            """
            SELECT row, parent, name_key FROM item
            WHERE row > ? AND row <= ? AND +domain = ? AND parent IS NOT NULL AND instr(name_key, ?) > 0 ORDER BY row
            """, .int(after), .int(end), .int(own.number), .text(first)
        ) { (row: $0.int(0), parent: $0.int(1), key: $0.text(2)) }
        var reached = end
        for candidate in candidates where words.allSatisfy({ candidate.key.contains($0) }) {
            guard try inside.holds(candidate.parent), let item = try item(row: candidate.row, in: domain), item.exists,
                item.state != .nameClash, let place = try shownPlace(of: candidate.row)
            else { continue }
            found.items.append((item, Location(domain: domain, components: place)))
            if found.items.count >= limit {
                reached = candidate.row
                break
            }
        }
        found.isIncomplete = try hasUnlisted(after: after, to: reached, own, &inside)
        found.next = reached < last ? reached : nil
        return found
    }

    private func hasUnlisted(
        after: Int64, to end: Int64, _ domain: DomainReference, _ inside: inout InsideCheck
    ) throws -> Bool {
        let unlisted = try sql.all(
            """
            SELECT item.row, item.id FROM item LEFT JOIN listing ON listing.folder = item.row
            WHERE item.row > ? AND item.row <= ? AND +item.domain = ? AND item.kind = 1 AND item.gone = 0
                AND coalesce(listing.complete, 0) = 0
            """, .int(after), .int(end), .int(domain.number)
        ) { ($0.int(0), try ItemIdentifier($0.text(1))) }
        // What was made here and is not sent yet has nothing in it that is not known.
        return try unlisted.contains { row, id in try !id.isArriving && inside.holds(row) }
    }

    /// Nil for what lies in a folder that is not shown because of its name.
    private func shownPlace(of row: Int64) throws -> [ItemName]? {
        do {
            return try place(of: row)
        } catch let error as DocumentError where error.code == .nameClash {
            return nil
        }
    }
}

/// Tells what lies in a folder, at any depth, and in no package.
private struct InsideCheck {
    let folder: Int64
    let index: IndexReader
    private var known: [Int64: Bool] = [:]

    init(folder: Int64, index: IndexReader) {
        self.folder = folder
        self.index = index
        known[folder] = true
    }

    /// - Parameter row: a folder: whether it is the one, or lies in it.
    mutating func holds(_ row: Int64) throws -> Bool {
        var passed: [Int64] = []
        var next = row
        var answer = false
        while passed.count <= 4 * IndexReader.maximumDepth {
            if let known = known[next] {
                answer = known
                break
            }
            passed.append(next)
            let found = try index.sql.first("SELECT parent, kind FROM item WHERE row = ?", .int(next)) {
                (parent: $0.optionalInt(0), isPackage: $0.int(1) == ItemRow.number(of: .package))
            }
            guard let found, !found.isPackage, let parent = found.parent else { break }
            next = parent
        }
        for row in passed { known[row] = answer }
        return answer
    }
}
