/// How often, and after which pauses, what was cut off goes on where it was. A value without I/O.
struct Resumption: Sendable {
    /// Failures after which something more had come; beyond that a server plays games.
    private static let most = 64

    private var count = 0
    private var offsetAtFailure: Int64 = 0
    /// Since when nothing more comes, counted from the beginning; nil while it comes.
    private var lossBegan: Duration?
    private var retries: RetryPlan
    private let limits: RetryPlan.Limits

    init(_ limits: RetryPlan.Limits) {
        self.limits = limits
        retries = RetryPlan(limits)
    }

    /// How long to wait before it goes on; nil when it does not.
    ///
    /// - Parameters:
    ///   - offset: how much has come.
    ///   - keepsWhatCame: whether that is kept, so that it would be lost with the end.
    mutating func pause(
        after failure: ServerFailure, at offset: Int64, keepsWhatCame: Bool, elapsed: Duration, chance: Double
    ) -> Duration? {
        if offset > offsetAtFailure, count < Self.most {
            count += 1
            retries = RetryPlan(limits)
            lossBegan = nil
        }
        offsetAtFailure = offset
        // The time that bytes took to come is none that was lost.
        let began = lossBegan ?? elapsed
        lossBegan = began
        let lost = elapsed - began
        // A server that is started anew is back in seconds, and what came so far would have to come once more.
        if case .unreachable = failure, keepsWhatCame {
            guard lost < limits.outage else { return nil }
            return limits.firstPause + (limits.longestPause - limits.firstPause) * chance / 2
        }
        return retries.pause(after: failure, elapsed: lost, chance: chance)
    }

    /// What came is void.
    mutating func startOver() { offsetAtFailure = 0 }
}
