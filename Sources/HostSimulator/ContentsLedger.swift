/// All contents that anybody ever wrote, and what became of each.
final class ContentsLedger {
    struct Entry {
        var bytes: [UInt8]
        /// Whoever wrote them was told that they are kept.
        var isAcknowledged = false
        /// Somebody who saw them has removed them.
        var isRemoved = false
        /// How often somebody who saw them is removing them just now, or was never told what became of that: they may be gone,
        /// and need not.
        var attempts = 0
        /// Somebody has removed them, or tried to, whether or not somebody has had them back since: on other machines they are
        /// in the trash all the same.
        var wasRemoved = false
        /// What somebody who saw them wrote over them, or tried to.
        var successors: [Int] = []
    }

    private(set) var entries: [Entry] = []

    /// New contents, that nobody ever wrote.
    ///
    /// - Parameter size: about how many bytes.
    func make(size: Int) -> (number: Int, bytes: [UInt8]) {
        let number = entries.count
        let head = Array("contents \(number);".utf8)
        let bytes = head + (0..<max(size, 0)).map { UInt8(truncatingIfNeeded: ($0 &* 31) &+ number) }
        entries.append(Entry(bytes: bytes))
        return (number, bytes)
    }

    /// The same, of just so many bytes, where they are not too few.
    func make(total: Int) -> (number: Int, bytes: [UInt8]) {
        make(size: total - "contents \(entries.count);".utf8.count)
    }

    /// Which contents these are; nil when nobody wrote them.
    func number(of bytes: [UInt8]) -> Int? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: ";")),
            let number = Int(String(decoding: bytes[..<end].dropFirst(9), as: UTF8.self)),
            entries.indices.contains(number), entries[number].bytes == bytes
        else { return nil }
        return number
    }

    /// Whether contents have these bytes at a place.
    func has(_ bytes: [UInt8], at offset: Int, in number: Int) -> Bool {
        Self.has(bytes, at: offset, in: entries[number].bytes)
    }

    static func has(_ bytes: [UInt8], at offset: Int, in whole: [UInt8]) -> Bool {
        offset + bytes.count <= whole.count && whole[offset..<offset + bytes.count].elementsEqual(bytes)
    }

    func acknowledge(_ number: Int) { entries[number].isAcknowledged = true }

    func remove(_ number: Int) {
        entries[number].isRemoved = true
        entries[number].wasRemoved = true
    }

    /// Somebody who sees them is about to remove them.
    func beginRemoving(_ numbers: Set<Int>) { for number in numbers { entries[number].attempts += 1 } }

    /// - Parameter outcome: nil: nobody can tell, and it counts as tried for good.
    func endRemoving(_ numbers: Set<Int>, _ outcome: Removal?) {
        for number in numbers {
            guard let outcome else {
                entries[number].wasRemoved = true
                continue
            }
            entries[number].attempts = max(entries[number].attempts - 1, 0)
            if outcome == .done { remove(number) }
        }
    }

    /// What somebody who wanted to remove them was told.
    enum Removal { case done, refused }

    /// Somebody was told that they have them back.
    func restore(_ number: Int) {
        if entries[number].attempts > 0 { entries[number].wasRemoved = true }
        entries[number].attempts = 0
        entries[number].isRemoved = false
        entries[number].isAcknowledged = true
    }

    func replace(_ old: Int, by new: Int) { entries[old].successors.append(new) }

    /// Whether somebody who saw them has ever removed them, or tried to, or written over them, or chosen others.
    func isDoneAwayWith(_ number: Int) -> Bool {
        entries[number].wasRemoved || entries[number].attempts > 0 || !entries[number].successors.isEmpty
    }

    /// Acknowledged contents that are nowhere, and that nobody who saw them did away with.
    func lost(found: Set<Int>) -> [Int] {
        entries.indices.filter { entries[$0].isAcknowledged && !isAccountedFor($0, found) }
    }

    /// Whether they are somewhere, or what was written over them.
    func isKept(_ number: Int, _ found: Set<Int>) -> Bool {
        isAny(of: number) { found.contains($0) }
    }

    /// Whether somebody who saw them has removed them, or may have.
    func isGone(_ number: Int) -> Bool { entries[number].isRemoved || entries[number].attempts > 0 }

    private func isAccountedFor(_ number: Int, _ found: Set<Int>) -> Bool {
        isAny(of: number) { found.contains($0) || isGone($0) }
    }

    /// Whether it is so of contents, or of any that came in their place: they may have come back in turn.
    private func isAny(of number: Int, _ isSo: (Int) -> Bool) -> Bool {
        var (seen, open): (Set<Int>, [Int]) = ([number], [number])
        while let next = open.popLast() {
            if isSo(next) { return true }
            open += entries[next].successors.filter { seen.insert($0).inserted }
        }
        return false
    }
}
