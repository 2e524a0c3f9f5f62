/// Which rule says whether an item is sent.
public struct IgnoreDecision: Hashable, Sendable {
    public var rule: IgnorePattern
    /// It is one of ``IgnoreRules/defaults``.
    public var isDefault: Bool
    /// What it matches: the item, or a folder around it.
    public var path: [ItemName]

    public init(rule: IgnorePattern, isDefault: Bool = false, path: [ItemName]) {
        self.rule = rule
        self.isDefault = isDefault
        self.path = path
    }

    /// Whether the item is kept here and not sent.
    public var isIgnored: Bool { !rule.isNegated }
}

/// Which rule decides on one item, and whether that counts.
public struct IgnoreExplanation: Hashable, Sendable {
    /// Nil: no rule matches it.
    public var decision: IgnoreDecision?
    /// Whether it is kept here and not sent. Not for what the remote has, or a folder that something of the remote's is in.
    public var isIgnored: Bool
    /// The remote has it, so that no rule holds for it.
    public var isKnownToRemote: Bool

    public init(decision: IgnoreDecision? = nil, isIgnored: Bool = false, isKnownToRemote: Bool = false) {
        self.decision = decision
        self.isIgnored = isIgnored
        self.isKnownToRemote = isKnownToRemote
    }
}
