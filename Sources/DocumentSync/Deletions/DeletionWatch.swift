/// Whether the deletions of one direction go without saying, or wait for a yes (CONT-13): a state machine without I/O.
///
/// What is to be deleted lies elsewhere and is only counted here. What went without asking counts for a while: a thousand
/// deletions one by one are as many as a thousand at once.
package struct DeletionWatch: Hashable, Sendable {
    package struct Recent: Hashable, Sendable {
        /// Seconds since 1970.
        package var time: Int64
        package var count: Int

        package init(time: Int64, count: Int) {
            self.time = time
            self.count = count
        }
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
    ///   - gathered: what is to be deleted.
    ///   - items: all that is known of the domain, what has gathered among it.
    package mutating func judge(_ gathered: Int, of items: Int, at now: Int64) -> Verdict {
        // A clock that was set is no reason to forget: the age counts either way.
        recent.removeAll { $0.time.subtractingReportingOverflow(now).partialValue.magnitude > Self.window }
        guard gathered > 0 else {
            askedSince = nil
            return .carryOut
        }
        let before = recent.reduce(0) { $0 + $1.count }
        guard askedSince == nil, !rule.asks(gathered + before, of: items + before) else {
            askedSince = askedSince ?? now
            return .ask
        }
        note(gathered, at: now)
        return .carryOut
    }

    /// Somebody said yes or no: what comes later is counted anew.
    package mutating func answered() {
        askedSince = nil
        recent = []
    }

    /// Few entries, however many deletions: those of a minute are one.
    private mutating func note(_ count: Int, at now: Int64) {
        if let last = recent.last, last.time / 60 == now / 60 {
            recent[recent.count - 1].count += count
        } else {
            recent.append(Recent(time: now, count: count))
        }
    }
}
