package import DocumentModel

/// When work that failed is tried again (PROV-22).
package struct RetryPolicy: Hashable, Sendable {
    package enum Decision: Hashable, Sendable {
        /// Not by itself: the provider's signal or the user ends the wait.
        case hold
        case retry(after: Duration)
        /// The error is the answer.
        case giveUp
    }

    package var first: Duration
    package var longest: Duration
    /// How long is waited at most where the provider asks for more time.
    package var longestAsked: Duration

    package init(
        first: Duration = .seconds(1), longest: Duration = .seconds(300), longestAsked: Duration = .seconds(3600)
    ) {
        self.first = first
        self.longest = longest
        self.longestAsked = longestAsked
    }

    /// - Parameters:
    ///   - attempt: how often it failed so far, from 1.
    ///   - jitter: 0 to 1, drawn by the caller; spreads the retries of many over time.
    package func decision(for error: DocumentError, attempt: Int, jitter: Double) -> Decision {
        switch error.code.errorClass {
        case .resolvable: return .hold
        case .definitive, .caller: return .giveUp
        case .transient:
            return .retry(
                after: max(
                    pause(attempt: attempt, jitter: jitter), min(error.retryAfter ?? .zero, longestAsked)))
        }
    }

    /// How long is waited for before the next attempt, whatever the error says.
    package func pause(attempt: Int, jitter: Double) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 20)
        let delay = min(first * (1 << doublings), longest)
        return delay * (0.5 + 0.5 * min(max(jitter, 0), 1))
    }
}
