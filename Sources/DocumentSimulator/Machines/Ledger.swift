/// What people wrote, saw and deleted: what INV-1 is judged by.
///
/// Contents are numbers, each written once, but for copies.
struct Ledger {
    private(set) var written: Set<UInt64> = []
    private var acknowledged: Set<UInt64> = []
    /// Contents, and those that somebody wrote over them, having seen them.
    private var successors: [UInt64: [UInt64]] = [:]
    private var deleted: Set<UInt64> = []
    private var last: UInt64 = 0

    /// Contents that were damaged on their way or on a disk: nobody wrote them.
    static let damage: UInt64 = 1 << 62

    mutating func newContents() -> UInt64 {
        last += 1
        return last
    }

    mutating func write(_ contents: UInt64, over seen: UInt64?, acknowledged isAcknowledged: Bool) {
        written.insert(contents)
        if isAcknowledged { acknowledged.insert(contents) }
        if let seen, seen != contents { successors[seen, default: []].append(contents) }
    }

    mutating func delete(_ contents: UInt64) { deleted.insert(contents) }

    /// Acknowledged contents that are nowhere, though nobody wrote over them or deleted them.
    func lost(among current: Set<UInt64>) -> [UInt64] {
        acknowledged.filter { !isKept($0, current) }.sorted()
    }

    private func isKept(_ contents: UInt64, _ current: Set<UInt64>) -> Bool {
        if current.contains(contents) || deleted.contains(contents) { return true }
        return (successors[contents] ?? []).contains { acknowledged.contains($0) || isKept($0, current) }
    }
}
