/// The feed: which items changed, in order. Holds the last change of each item only.
struct ChangeLog: Sendable {
    struct Entry: Hashable, Sendable {
        var sequence: UInt64
        var id: RecordID
    }

    /// Changes up to here are forgotten; an anchor before it has expired.
    private(set) var floor: UInt64 = 0
    /// The newest point.
    private(set) var last: UInt64 = 0
    /// In order; entries that a later change of the same item made stale are dropped now and then.
    private var entries: [Entry] = []
    private var latest: [RecordID: UInt64] = [:]
    let capacity: Int

    /// - Parameter capacity: how many items' changes are kept.
    init(capacity: Int = 1 << 18) {
        self.capacity = capacity
    }

    /// - Parameter sequence: later than all others when given.
    mutating func add(_ id: RecordID, at sequence: UInt64? = nil) -> UInt64 {
        last = max(last + 1, sequence ?? 0)
        entries.append(Entry(sequence: last, id: id))
        latest[id] = last
        if entries.count > 2 * capacity { shrink() }
        return last
    }

    /// Forgets everything up to now: nobody has an anchor yet.
    mutating func forgetAll() {
        floor = last
        entries = []
        latest = [:]
    }

    /// Sets the counters to those of an earlier run.
    mutating func restore(floor: UInt64, last: UInt64) {
        self.floor = max(self.floor, floor)
        self.last = max(self.last, last)
    }

    /// The items changed after a point, the earliest first; nil when that point is forgotten or was never reached.
    func page(after point: UInt64, limit: Int) -> (entries: [Entry], isLast: Bool)? {
        guard point >= floor, point <= last else { return nil }
        var index = firstIndex(after: point)
        var page: [Entry] = []
        while index < entries.count {
            let entry = entries[index]
            if latest[entry.id] == entry.sequence {
                if page.count == max(1, limit) { return (page, false) }
                page.append(entry)
            }
            index += 1
        }
        return (page, true)
    }

    /// All that is kept.
    var all: [Entry] { entries.filter { latest[$0.id] == $0.sequence } }

    private func firstIndex(after point: UInt64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence <= point { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func shrink() {
        entries.removeAll { latest[$0.id] != $0.sequence }
        guard entries.count > capacity else { return }
        let surplus = entries.count - capacity
        floor = entries[surplus - 1].sequence
        for entry in entries.prefix(surplus) { latest[entry.id] = nil }
        entries.removeFirst(surplus)
    }
}
