/// What is to be run when. For few timers: a connection has one at a time.
struct TimerQueue {
    struct Key: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let time: MonotonicTime
        let key: Key
        let outlivesLoop: Bool
        let body: @Sendable () -> Void
    }

    /// The latest first.
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 1

    var isEmpty: Bool { entries.isEmpty }
    var earliest: MonotonicTime? { entries.last?.time }

    /// - Parameter outlivesLoop: it is run also when the loop has ended by then, elsewhere.
    mutating func insert(
        at time: MonotonicTime, outlivesLoop: Bool = false, _ body: @escaping @Sendable () -> Void
    ) -> Key {
        let key = Key(number: nextNumber)
        nextNumber += 1
        // Of equal times the one that was asked for first runs first, so the new one stands before them.
        let index = entries.firstIndex { $0.time <= time } ?? entries.count
        entries.insert(Entry(time: time, key: key, outlivesLoop: outlivesLoop, body: body), at: index)
        return key
    }

    mutating func remove(_ key: Key) {
        entries.removeAll { $0.key == key }
    }

    mutating func popDue(at now: MonotonicTime) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let last = entries.last, last.time <= now {
            due.append(last.body)
            entries.removeLast()
        }
        return due
    }

    /// What the loop, which has ended, has left to others.
    mutating func takeOutliving() -> [(time: MonotonicTime, body: @Sendable () -> Void)] {
        defer { entries.removeAll { $0.outlivesLoop } }
        return entries.filter(\.outlivesLoop).map { ($0.time, $0.body) }
    }
}
