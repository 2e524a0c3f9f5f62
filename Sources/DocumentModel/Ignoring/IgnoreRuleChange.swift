/// A change of a domain's ignore rules.
public struct IgnoreRuleChange: Hashable, Sendable {
    /// They come behind the others, in this order; what is there already moves there.
    public var adding: [IgnorePattern]
    /// As they were written.
    public var removing: [IgnorePattern]
    /// Nil: as before.
    public var usesDefaults: Bool?

    public init(adding: [IgnorePattern] = [], removing: [IgnorePattern] = [], usesDefaults: Bool? = nil) {
        self.adding = adding
        self.removing = removing
        self.usesDefaults = usesDefaults
    }

    public var isEmpty: Bool { adding.isEmpty && removing.isEmpty && usesDefaults == nil }
}

extension IgnoreRules {
    /// The rules after a change.
    ///
    /// - Throws: `invalidArgument` for a pattern to be removed that is not there, and for too many.
    public func applying(_ change: IgnoreRuleChange) throws(DocumentError) -> IgnoreRules {
        var rules = self
        for pattern in change.removing {
            guard rules.patterns.contains(pattern) else {
                let hint =
                    Self.defaults.contains(pattern)
                    ? "it is one of the defaults, which “!\(pattern)” or --no-defaults ends"
                    : "docent ignore shows those that there are"
                throw DocumentError(.invalidArgument, "“\(pattern)” is no ignore rule of yours: \(hint).")
            }
            rules.patterns.removeAll { $0 == pattern }
        }
        for pattern in change.adding {
            rules.patterns.removeAll { $0 == pattern }
            rules.patterns.append(pattern)
        }
        guard rules.patterns.count <= Self.mostPatterns else {
            throw DocumentError(
                .invalidArgument,
                "A domain has \(Self.mostPatterns) ignore rules at most; \(rules.patterns.count) would be too many.")
        }
        if let usesDefaults = change.usesDefaults { rules.usesDefaults = usesDefaults }
        return rules
    }
}
