/// What is to be done when: in ticks of a fiftieth of a second, so that many things at once are few entries.
struct Agenda<Errand: Hashable & Sendable>: Sendable {
    private static var tick: Duration { .milliseconds(20) }

    private var errands: [Int64: Set<Errand>] = [:]
    /// The end of the earliest tick; kept, because it is asked for after every change.
    private(set) var earliest: Duration?

    /// Not before that time, and a tick later at most.
    mutating func add(_ errand: Errand, at time: Duration) {
        let tick = Int64((time / Self.tick).rounded(.up))
        errands[tick, default: []].insert(errand)
        let end = Self.tick * tick
        earliest = earliest.map { min($0, end) } ?? end
    }

    /// All that is due, and no longer to be done.
    mutating func take(until now: Duration) -> [Errand] {
        guard let first = earliest, first <= now else { return [] }
        let due = errands.keys.filter { Self.tick * $0 <= now }.sorted()
        let taken = due.flatMap { errands.removeValue(forKey: $0) ?? [] }
        earliest = errands.keys.min().map { Self.tick * $0 }
        return taken
    }
}
