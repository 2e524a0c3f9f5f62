/// What the host would do for a part of a domain, as things are known now (CONT-13): a dry run, for which no provider is asked
/// and nothing is written down.
public struct SyncPreview: Hashable, Sendable {
    /// The most steps that are told one by one.
    public static let mostSteps = 5_000

    /// In the order of their locations.
    public var steps: [PlannedStep]
    /// How many more there are.
    public var more: UInt64

    public init(steps: [PlannedStep] = [], more: UInt64 = 0) {
        self.steps = steps
        self.more = more
    }
}
