public import DocumentModel
internal import DocumentWire

/// What of a domain is kept here and not sent (CONT-13). For the user's own programs.
extension DocumentClient {
    /// The ignore rules of a domain.
    public func ignoreRules(of domain: DomainName) async throws(DocumentError) -> IgnoreRules {
        try await rules(domain, IgnoreRuleChange())
    }

    /// Changes the ignore rules of a domain. What no rule holds any more for is sent; what the remote has stays there,
    /// whatever it is called.
    ///
    /// - Returns: the rules from now on.
    /// - Throws: `invalidArgument` for a pattern to be removed that is not there, and for too many; then nothing was changed.
    @discardableResult
    public func changeIgnoreRules(
        _ change: IgnoreRuleChange, of domain: DomainName
    ) async throws(DocumentError) -> IgnoreRules {
        try await rules(domain, change)
    }

    /// Which rule decides on what is at a location, or would be: where nothing is, on a document, or else a folder.
    public func explainIgnoring(of location: Location) async throws(DocumentError) -> IgnoreExplanation {
        let call = ServiceCall.safeguards(.explainIgnoring(location))
        guard case .safeguards(.explainIgnoring(let explanation)) = try await ask(call, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return explanation
    }

    private func rules(
        _ domain: DomainName, _ change: IgnoreRuleChange
    ) async throws(DocumentError) -> IgnoreRules {
        let call = ServiceCall.safeguards(.ignoreRules(domain, change))
        guard case .safeguards(.ignoreRules(let rules)) = try await ask(call, deadline: Self.patience) else {
            throw Self.unexpectedAnswer
        }
        return rules
    }
}
