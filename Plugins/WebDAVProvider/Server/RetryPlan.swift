/// Whether, and when, a request that failed is made again. A value without I/O; clock and chance come from outside.
struct RetryPlan: Sendable {
    struct Limits: Hashable, Sendable {
        /// In all, the first included.
        var attempts = 4
        /// No attempt is begun later than this after the first.
        var budget: Duration = .seconds(15)
        /// The longest pause before the second attempt; it doubles from one to the next.
        var firstPause: Duration = .milliseconds(200)
        var longestPause: Duration = .seconds(5)
        /// How long a server that is not there is waited for by whoever has a part of a document already.
        var outage: Duration = .seconds(20)
    }

    private let limits: Limits
    private(set) var attempts = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// - Parameters:
    ///   - elapsed: since the first attempt was begun.
    ///   - chance: from 0 to 1; spreads those who failed together.
    /// - Returns: how long to wait before the next attempt; nil to give up.
    mutating func pause(after failure: ServerFailure, elapsed: Duration, chance: Double) -> Duration? {
        attempts += 1
        guard attempts < limits.attempts, failure.mayPass else { return nil }
        // Where nothing answers, more patience is the host's: it waits until the server is back.
        if case .unreachable = failure, attempts >= 2 { return nil }
        let longest = min(limits.firstPause * (1 << min(attempts - 1, 16)), limits.longestPause)
        var pause = longest * (0.5 + min(max(chance, 0), 1) / 2)
        if case .status(_, let asked?) = failure { pause = max(asked, pause) }
        return elapsed + pause <= limits.budget ? pause : nil
    }
}

extension ServerFailure {
    /// Whether the server has looked at who asks.
    var isVerdict: Bool {
        switch self {
        case .signIn: true
        case .status(400..<500, _): !mayPass
        case .status, .unreachable, .untrusted, .misnamed, .interrupted, .damaged, .unusable, .redirect: false
        }
    }

    /// Whether the same request may succeed a little later.
    var mayPass: Bool {
        switch self {
        case .status(let code, _): [408, 425, 429, 500, 502, 503, 504].contains(code)
        case .interrupted, .damaged, .unreachable: true
        case .signIn, .untrusted, .misnamed, .unusable, .redirect: false
        }
    }
}
