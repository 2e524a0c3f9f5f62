/// What lets programs read a document's file without asking the host each time: a pure state machine.
///
/// The first program reads under an access. When the last one has closed the document, a presenter is registered under that
/// access, and then the access ends: from then on nobody is kept waiting, and whoever is about to write says so first
/// (COORD-23). Then nobody else joins; those who still read get an access again, which the writer waits for.
package struct ReadingLease: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What is to be done outside.
    package enum Action: Hashable, Sendable {
        case register
        case endAccess
        case beginAccess
        /// Nothing of it is used any more: the access and the presenter end, and the file is closed.
        case end
    }

    private enum Presence {
        case none
        case registering
        case registered
    }

    package private(set) var users = 1
    /// Whether others may join.
    package private(set) var isOpen = true
    private var hasAccess = true
    private var presence = Presence.none
    private var isEnded = false
    private let began: Instant
    private var left: Instant?

    /// The first one reads, under an access.
    package init(at now: Instant) { began = now }

    /// One more.
    ///
    /// - Returns: false when it is to ask the host.
    package mutating func join() -> Bool {
        guard isOpen else { return false }
        users += 1
        left = nil
        return true
    }

    /// One less.
    package mutating func leave(at now: Instant) -> Action? {
        users -= 1
        guard users == 0 else { return nil }
        left = now
        guard isOpen else { return end() }
        guard presence == .none else { return nil }
        presence = .registering
        return .register
    }

    /// The presenter is told from now on, or could not be registered.
    package mutating func registered(_ isRegistered: Bool) -> Action? {
        presence = isRegistered ? .registered : .none
        if !isRegistered { isOpen = false }
        guard isOpen else { return users == 0 ? end() : nil }
        hasAccess = false
        return .endAccess
    }

    /// Others are about to write: returns what is to be done before they are answered.
    package mutating func giveUp() -> Action? {
        isOpen = false
        guard users == 0 else { return hasAccess ? nil : .beginAccess }
        return end()
    }

    /// Those who still read have an access again.
    package mutating func accessBegan() { hasAccess = true }

    /// It is not what it was, or is not needed any more: nobody joins, and those who read go on.
    package mutating func close() -> Action? {
        isOpen = false
        return users == 0 ? end() : nil
    }

    /// - Parameters:
    ///   - patience: how long it is kept after the last one has left.
    ///   - age: how long it is kept at all: the host is to hear now and then that the document is used.
    package mutating func timePassed(to now: Instant, patience: Duration, age: Duration) -> Action? {
        guard now >= began + age || left.map({ now >= $0 + patience }) == true else { return nil }
        return close()
    }

    /// Since when nobody reads; nil: somebody does.
    package var idleSince: Instant? { users == 0 ? left : nil }

    private mutating func end() -> Action? {
        // What is being registered is ended when that is known.
        guard !isEnded, presence != .registering else { return nil }
        isEnded = true
        return .end
    }
}
