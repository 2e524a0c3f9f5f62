package import DocumentModel

/// Ignore rules, in words.
package enum IgnoreListing {
    package static func text(_ rules: IgnoreRules, of domain: DomainName) -> String {
        var text = rules.patterns.map { "\($0)\n" }.joined()
        if rules.patterns.isEmpty { text += "\(domain) has no ignore rules of your own.\n" }
        guard rules.usesDefaults else { return text + "The built-in ones do not hold: --defaults switches them on.\n" }
        let defaults = IgnoreRules.defaults.map(\.text).joined(separator: "  ")
        return text + "Before them the built-in ones, which --no-defaults switches off:\n  \(defaults)\n"
    }

    package static func text(_ explanation: IgnoreExplanation, of location: Location) -> String {
        let rule = explanation.decision.map { decision in
            let matched = Location(domain: location.domain, components: decision.path)
            return "\(decision.isDefault ? "the built-in rule" : "the rule") “\(decision.rule)”"
                + (matched == location ? "" : ", which matches \(matched)")
        }
        guard let rule, let decision = explanation.decision else { return "\(location) is sent: no rule matches it.\n" }
        if explanation.isIgnored { return "\(location) is kept here and not sent, by \(rule).\n" }
        if !decision.isIgnored { return "\(location) is sent, by \(rule).\n" }
        let reason = explanation.isKnownToRemote ? "the remote has it" : "something that the remote has is in it"
        return "\(location) is sent: \(reason), in spite of \(rule).\n"
    }
}

extension IgnoreRules {
    package var json: JSON {
        .object([
            ("patterns", .array(patterns.map { .string($0.text) })),
            ("usesDefaults", .boolean(usesDefaults)),
            ("defaults", .array(Self.defaults.map { .string($0.text) })),
        ])
    }
}

extension IgnoreExplanation {
    package func json(of location: Location) -> JSON {
        .object([
            ("location", .string(location.description)),
            ("ignored", .boolean(isIgnored)),
            ("knownToRemote", .boolean(isKnownToRemote)),
            ("rule", JSON(decision?.rule.text)),
            ("ruleIsNegated", .boolean(decision?.rule.isNegated ?? false)),
            ("ruleIsDefault", .boolean(decision?.isDefault ?? false)),
            ("matched", JSON(decision.map { Location(domain: location.domain, components: $0.path).description })),
        ])
    }
}
