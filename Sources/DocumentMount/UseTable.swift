/// What several users share, from the first one on until a while after the last one: a pure state machine.
///
/// Who is the last to leave gets a ticket; when the while is over and nobody came meanwhile, the ticket ends what was shared.
/// Those who only join keep it for as long as they are there, and no while longer: who comes again and again would keep it for
/// ever.
package struct UseTable<Value: Equatable & Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var users: Int
        var joined = 0
        /// Of the last one who left; nil while there are users that did not just join.
        var ticket: UInt64?
        /// Whether the while is over.
        var isOver = false
    }

    /// What comes of it when somebody leaves.
    package enum Leaving: Equatable {
        /// Others are there, or somebody waits for the end of the while.
        case nothing
        /// It may end when the while is over.
        case wait(ticket: UInt64)
        /// It is to be ended.
        case end(Value)
    }

    private var entries: [UInt64: Entry] = [:]
    /// What has no users any more, and whose end takes its time.
    private var ending: [UInt64: [Value]] = [:]
    private var last: UInt64 = 0

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// Nil where nothing is shared.
    package subscript(_ number: UInt64) -> Value? { entries[number]?.value }

    package func users(of number: UInt64) -> Int { entries[number]?.users ?? 0 }

    /// One more user of what there is, or of what is begun.
    package mutating func use(_ number: UInt64, begin: () -> Value) -> Value {
        if let known = entries[number] {
            entries[number]?.users += 1
            entries[number]?.ticket = nil
            entries[number]?.isOver = false
            return known.value
        }
        let value = begin()
        entries[number] = Entry(value: value, users: 1, ticket: nil)
        return value
    }

    /// One more user, where something is shared.
    package mutating func join(_ number: UInt64) -> Value? {
        guard let known = entries[number] else { return nil }
        entries[number]?.users += 1
        entries[number]?.joined += 1
        return known.value
    }

    /// One user less.
    ///
    /// - Parameter joined: one that had joined.
    package mutating func leave(_ number: UInt64, joined: Bool = false) -> Leaving {
        guard var entry = entries[number], entry.users > 0 else { return .nothing }
        entry.users -= 1
        if joined { entry.joined -= 1 }
        entries[number] = entry
        if joined { return entry.users == 0 && entry.isOver ? .end(beginEnding(number, entry)) : .nothing }
        guard entry.users == entry.joined else { return .nothing }
        last += 1
        entries[number]?.ticket = last
        return .wait(ticket: last)
    }

    /// The while is over.
    ///
    /// - Returns: what is to be ended; nil when somebody is there.
    package mutating func end(_ number: UInt64, _ ticket: UInt64) -> Value? {
        guard let entry = entries[number], entry.ticket == ticket else { return nil }
        entries[number]?.isOver = true
        return entry.users == 0 ? beginEnding(number, entry) : nil
    }

    /// Without waiting for the while to be over.
    ///
    /// - Returns: what is to be ended; nil while it has users.
    package mutating func endUnused(_ number: UInt64) -> Value? {
        guard let entry = entries[number], entry.users == 0 else { return nil }
        return beginEnding(number, entry)
    }

    private mutating func beginEnding(_ number: UInt64, _ entry: Entry) -> Value {
        entries[number] = nil
        ending[number, default: []].append(entry.value)
        return entry.value
    }

    /// What is being ended, and has not ended yet.
    package func ending(of number: UInt64) -> [Value] { ending[number] ?? [] }

    /// It has ended.
    package mutating func ended(_ number: UInt64, _ value: Value) {
        ending[number]?.removeAll { $0 == value }
        if ending[number]?.isEmpty == true { ending[number] = nil }
    }

    /// It could not be begun: whoever comes next begins anew.
    package mutating func discard(_ number: UInt64, _ value: Value) {
        if entries[number]?.value == value { entries[number] = nil }
    }

    package mutating func removeAll() -> [Value] {
        defer { entries = [:] }
        return entries.values.map(\.value)
    }
}
