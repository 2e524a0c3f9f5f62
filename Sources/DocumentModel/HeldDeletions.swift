/// Deletions of many items that wait for somebody to say whether they are meant (CONT-13). Nothing of them is deleted
/// before.
public struct HeldDeletions: Hashable, Sendable {
    /// Where they come from.
    public enum Direction: String, Hashable, Sendable, CaseIterable {
        /// Gone on the remote; they are to go from here.
        case fromRemote
        /// Asked for here; they are to go on the remote.
        case toRemote
    }

    public var direction: Direction
    /// How many documents and folders would go, as far as is known here.
    public var items: Int
    /// How many of them have contents here.
    public var materialised: Int
    /// Some of them.
    public var examples: [Location]
    /// Since when they wait.
    public var since: Timestamp

    public init(
        direction: Direction, items: Int, materialised: Int, examples: [Location] = [], since: Timestamp
    ) {
        self.direction = direction
        self.items = items
        self.materialised = materialised
        self.examples = examples
        self.since = since
    }
}

/// What the user chose for a domain, beside what its provider knows of.
public struct DomainRules: Hashable, Sendable {
    /// Deletions of fewer items than these need no yes (CONT-13).
    public var deletionMinimum: Int
    /// Nor do those of a smaller share of the domain, in percent: both have to be reached. 101: nothing ever needs a yes.
    public var deletionPercent: Int
    /// For a provider that does not tell of changes: how often the folders that are known are looked at again, at most;
    /// zero for never.
    public var lookAgain: Duration

    public init(
        deletionMinimum: Int = 50, deletionPercent: Int = 25, lookAgain: Duration = .seconds(600)
    ) {
        self.deletionMinimum = deletionMinimum
        self.deletionPercent = deletionPercent
        self.lookAgain = lookAgain
    }
}

/// A change of a domain's rules: what is nil stays as it is.
public struct DomainRuleChange: Hashable, Sendable {
    /// See ``DomainRules/deletionMinimum``; 1 to 1,000,000,000.
    public var deletionMinimum: Int?
    /// See ``DomainRules/deletionPercent``; 0 to 101.
    public var deletionPercent: Int?
    /// See ``DomainRules/lookAgain``; zero, or 10 s to 365 days.
    public var lookAgain: Duration?

    public init(deletionMinimum: Int? = nil, deletionPercent: Int? = nil, lookAgain: Duration? = nil) {
        self.deletionMinimum = deletionMinimum
        self.deletionPercent = deletionPercent
        self.lookAgain = lookAgain
    }
}
