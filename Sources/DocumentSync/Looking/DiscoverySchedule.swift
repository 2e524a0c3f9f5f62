package import DocumentModel

/// Which folders that nobody has looked into yet are listed in advance, and when: a state machine without I/O.
///
/// What lies below a folder that somebody looked at comes first, from there on downwards; one folder at a time, with a rest
/// after each. When nobody has looked for a while, or all is known, nothing is done at all (INV-8).
package struct DiscoverySchedule: Sendable {
    package struct Rules: Hashable, Sendable {
        /// A rest is so many times as long as the listing before it took.
        package var restraint = 4
        package var shortestRest = Duration.milliseconds(50)
        /// After a failure of the provider; twice as long after each further one.
        package var firstRetry = Duration.seconds(10)
        package var mostDoublings = 6
        /// How long after somebody looked it goes on.
        package var interest = Duration.seconds(3600)
        /// More are not remembered: they are found again when somebody looks.
        package var mostWaiting = 10_000

        package init() {}
    }

    package enum Finding: Hashable, Sendable {
        /// With what is in it that nobody has looked into.
        case listed(inside: [ItemIdentifier])
        /// The provider cannot be asked at the moment.
        case failed
        /// This folder cannot be listed: it is gone, or its provider does not allow it.
        case refused
    }

    private let rules: Rules
    /// The last one is the next one.
    private var waiting: [ItemIdentifier] = []
    private var known: Set<ItemIdentifier> = []
    /// Not asked for again before interest in all of it has ended.
    private var refused: Set<ItemIdentifier> = []
    /// What nobody has looked at since it was listed.
    private var inAdvance: Set<ItemIdentifier> = []
    private var underWay: ItemIdentifier?
    private var lookedAt: Duration?
    private var rest = Duration.zero
    private var failures = 0

    package init(rules: Rules = Rules()) {
        self.rules = rules
    }

    package var waitingCount: Int { waiting.count }

    /// Somebody looked at a folder that is known.
    ///
    /// - Parameter inside: the folders in it that were never listed.
    /// - Returns: whether it was listed in advance, and is as it was then where nobody tells of changes.
    package mutating func lookedAt(
        _ folder: ItemIdentifier, _ inside: [ItemIdentifier], at now: Duration
    ) -> Bool {
        forget(now)
        lookedAt = now
        // What is awaited already comes first now.
        let again = Set(inside).intersection(known)
        if !again.isEmpty { waiting.removeAll { again.contains($0) } }
        add(inside.filter { $0 != underWay })
        return inAdvance.remove(folder) != nil
    }

    /// - Returns: the folder to be listed now; nil when it is not the time, or one is under way. To be followed by
    ///   ``listed(_:_:since:at:)``.
    package mutating func next(at now: Duration) -> ItemIdentifier? {
        forget(now)
        guard underWay == nil, rest <= now, let next = waiting.popLast() else { return nil }
        underWay = next
        return next
    }

    /// - Parameter since: when it was begun.
    package mutating func listed(_ folder: ItemIdentifier, _ finding: Finding, since: Duration, at now: Duration) {
        guard underWay == folder else { return }
        underWay = nil
        switch finding {
        case .listed(let inside):
            failures = 0
            known.remove(folder)
            if inAdvance.count < rules.mostWaiting { inAdvance.insert(folder) }
            add(inside.filter { !known.contains($0) })
            rest = now + max(rules.shortestRest, (now - since) * rules.restraint)
        case .refused:
            failures = 0
            known.remove(folder)
            if refused.count < rules.mostWaiting { refused.insert(folder) }
            rest = now + max(rules.shortestRest, (now - since) * rules.restraint)
        case .failed:
            // Others come first: it may be this one that cannot be listed.
            waiting.insert(folder, at: 0)
            rest = now + rules.firstRetry * (1 << min(failures, rules.mostDoublings))
            failures += 1
        }
    }

    /// When ``next(at:)`` may give one; nil when it will not, unless somebody looks.
    package func nextDeadline(after now: Duration) -> Duration? {
        guard underWay == nil, !waiting.isEmpty, let lookedAt else { return nil }
        let time = max(rest, now)
        return time <= lookedAt + rules.interest ? time : nil
    }

    private mutating func add(_ folders: [ItemIdentifier]) {
        let new = folders.filter { !refused.contains($0) }
        for folder in new.prefix(max(0, rules.mostWaiting - waiting.count)).reversed() {
            waiting.append(folder)
            known.insert(folder)
        }
    }

    private mutating func forget(_ now: Duration) {
        guard let lookedAt, now > lookedAt + rules.interest else { return }
        waiting = []
        known = underWay.map { [$0] } ?? []
        refused = []
        self.lookedAt = nil
    }
}
