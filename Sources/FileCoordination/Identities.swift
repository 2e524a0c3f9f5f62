/// What items are called now that had other identifiers before; of those that changed more than once, by each of them.
struct Identities: Sendable {
    typealias Key = CoordinatedItem.Key

    /// More are not kept of items that nobody uses.
    static let most = 1_000

    private var now: [Key: Key] = [:]
    /// Those that lead to an identifier.
    private var before: [Key: Set<Key>] = [:]
    /// The oldest first; some may be forgotten already.
    private var order: [Key] = []

    var isEmpty: Bool { now.isEmpty }

    var count: Int { now.count }

    func current(_ key: Key) -> Key { now[key] ?? key }

    mutating func add(_ key: Key, now new: Key) {
        // Taken back: it is called by itself again.
        forget(new)
        for earlier in (before.removeValue(forKey: key) ?? []).union([key]) where earlier != new {
            if let old = now[earlier] {
                before[old]?.remove(earlier)
                if before[old]?.isEmpty == true { before[old] = nil }
            }
            if now.updateValue(new, forKey: earlier) == nil { order.append(earlier) }
            before[new, default: []].insert(earlier)
        }
        // Those that were taken back, or came again, are in it more than once.
        if order.count > 2 * max(now.count, Self.most) {
            var seen: Set<Key> = []
            order = order.filter { now[$0] != nil && seen.insert($0).inserted }
        }
    }

    /// Forgets the older half of those that are not in use.
    mutating func forget(unless isUsed: (Key) -> Bool) {
        var kept: [Key] = []
        for key in order {
            guard let current = now[key] else { continue }
            if now.count > Self.most / 2, !isUsed(current) { forget(key) } else { kept.append(key) }
        }
        order = kept
    }

    /// An identifier is an item's by itself.
    mutating func forget(_ key: Key) {
        guard let current = now.removeValue(forKey: key) else { return }
        before[current]?.remove(key)
        if before[current]?.isEmpty == true { before[current] = nil }
    }
}
