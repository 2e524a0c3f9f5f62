/// Whether the deletions of one direction go without saying, or wait for a yes (CONT-13): a state machine without I/O.
///
/// What is to be deleted lies elsewhere and is only counted here. What went without asking counts for a while: a thousand
/// deletions one by one are as many as a thousand at once. What is excused is no deletion, as far as is known by now: it
/// does not count, and may do so later.
package struct DeletionWatch: Hashable, Sendable {
    package struct Recent: Hashable, Sendable {
        /// Seconds since 1970.
        package var time: Int64
        package var what: Gathered

        package init(time: Int64, _ what: Gathered) {
            self.time = time
            self.what = what
        }

        package init(time: Int64, count: Int) { self.init(time: time, Gathered(count: count)) }
    }

    /// Something that is to be deleted, or was, with all that lies below it.
    package struct Gathered: Hashable, Sendable {
        package var count: Int
        /// Of them, as many as are no deletions.
        package var excused: Int
        /// What it is known by to whoever excuses it; nil where it counts in any case.
        package var trace: String?

        package init(count: Int, excused: Int = 0, trace: String? = nil) {
            self.count = count
            self.excused = excused
            self.trace = trace
        }

        var weight: Int { count - excused }
    }

    package enum Verdict: Hashable, Sendable {
        case carryOut
        /// Nothing of it is deleted before somebody has said yes.
        case ask
    }

    /// How long deletions count, in seconds.
    package static let window: UInt64 = 3600

    package var rule: DeletionGuard
    package private(set) var recent: [Recent]
    /// Since when an answer is waited for; nil when none is.
    package private(set) var askedSince: Int64?

    package init(rule: DeletionGuard, recent: [Recent] = [], askedSince: Int64? = nil) {
        self.rule = rule
        self.recent = recent
        self.askedSince = askedSince
    }

    /// What has gathered is complete, as far as anybody knows.
    ///
    /// Once it has asked, all that gathers waits for the answer. Where nothing is left that it asked for, because all of
    /// it came back, the question is over.
    ///
    /// - Parameters:
    ///   - gathered: what is to be deleted; of what is excused nothing waits, unless something else does.
    ///   - items: all that is known of the domain, what has gathered among it.
    package mutating func judge(_ gathered: [Gathered], of items: Int, at now: Int64) -> Verdict {
        // A clock that was set is no reason to forget: the age counts either way.
        recent.removeAll { $0.time.subtractingReportingOverflow(now).partialValue.magnitude > Self.window }
        let count = gathered.reduce(0) { $0 + $1.weight }
        if count > 0 {
            let before = recent.reduce(0) { $0 + $1.what.weight }
            guard askedSince == nil, !rule.asks(count + before, of: items + before) else {
                askedSince = askedSince ?? now
                return .ask
            }
        } else {
            askedSince = nil
        }
        for removal in gathered where removal.trace != nil || removal.weight > 0 { note(removal, at: now) }
        return .carryOut
    }

    /// Nothing of it is excused.
    package mutating func judge(_ gathered: Int, of items: Int, at now: Int64) -> Verdict {
        judge([Gathered(count: gathered)], of: items, at: now)
    }

    /// Somebody said yes or no: what comes later is counted anew.
    package mutating func answered() {
        askedSince = nil
        recent = []
    }

    /// Few entries, however many deletions: those of a minute are one, where nothing has to be told apart.
    private mutating func note(_ removal: Gathered, at now: Int64) {
        if removal.trace == nil, let last = recent.lastIndex(where: { $0.what.trace == nil }),
            recent[last].time / 60 == now / 60
        {
            recent[last].what.count += removal.weight
        } else {
            recent.append(Recent(time: now, removal.trace == nil ? Gathered(count: removal.weight) : removal))
        }
    }
}
