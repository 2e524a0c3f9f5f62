/// What a list of expected failures says of a run.
public struct ExpectationReview: Sendable, Codable, Hashable {
    /// Ids of checks that failed as expected.
    public var expected: [String] = []
    /// Ids of checks that may pass or fail.
    public var flaky: [String] = []
    /// Entries that are no longer true.
    public var stale: [Stale] = []
    /// Ids of checks that were not asked for in this run, so that nothing is said of them.
    public var unjudged: [String] = []

    /// An entry that is no longer true, and how.
    public struct Stale: Sendable, Codable, Hashable {
        public var id: String
        public var reason: String

        /// - Parameters: as the properties.
        public init(id: String, reason: String) {
            self.id = id
            self.reason = reason
        }
    }

    public init() {}
}
