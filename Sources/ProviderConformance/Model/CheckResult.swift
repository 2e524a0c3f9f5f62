/// A check that was looked at, and what came of it.
public struct CheckResult: Sendable, Codable {
    public var check: CheckDescription
    public var outcome: CheckOutcome
    /// In seconds.
    public var seconds: Double
    /// What went over the pipes meanwhile, oldest first, secrets blanked out; the newest when there was too much.
    public var exchanges: [Exchange]
    /// What the provider wrote to standard error meanwhile.
    public var log: [String]
    /// The files of the recorded sessions that it had a part in, when they were asked for.
    public var recordings: [String] = []

    /// - Parameters: as the properties.
    public init(
        check: CheckDescription, outcome: CheckOutcome, seconds: Double = 0, exchanges: [Exchange] = [],
        log: [String] = []
    ) {
        self.check = check
        self.outcome = outcome
        self.seconds = seconds
        self.exchanges = exchanges
        self.log = log
    }
}

/// One thing that went over the pipes, in words.
public struct Exchange: Hashable, Sendable, Codable {
    /// Since the process was started, in seconds.
    public var time: Double
    /// From host to provider; else the other way.
    public var isToProvider: Bool
    /// What it is: `Request 5: item “a.txt”`.
    public var summary: String
    /// All of it, readable.
    public var text: String

    /// - Parameters: as the properties.
    public init(time: Double, isToProvider: Bool, summary: String, text: String) {
        self.time = time
        self.isToProvider = isToProvider
        self.summary = summary
        self.text = text
    }
}
