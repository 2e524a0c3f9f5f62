package import DocumentModel

/// One check of a provider: a rule, and what shows whether a provider keeps it.
public struct ConformanceCheck: Sendable, Identifiable {
    public let description: CheckDescription
    /// How long it may take in all.
    public let limit: Duration
    /// Throws ``CheckFailure``, ``CheckSkip`` or ``KitError``. A `DocumentError` of the provider that it does not expect
    /// it lets through: that is a failure as well.
    package let body: @Sendable (CheckContext) async throws -> Void

    public var id: String { description.id }

    /// - Parameters:
    ///   - id: `PC-FAMILY-001`: the family is the file it stands in.
    ///   - title: the rule in one sentence, as it is when the check passes.
    ///   - limit: how long it may take in all.
    package init(
        _ id: String, _ level: CheckLevel, _ title: String, rule: RuleReference, needs: [ProviderCapability] = [],
        mutates: Bool = false, limit: Duration = .seconds(30),
        body: @escaping @Sendable (CheckContext) async throws -> Void
    ) {
        description = CheckDescription(
            id: id, title: title, level: level, rule: rule, needs: needs, mutates: mutates)
        self.limit = limit
        self.body = body
    }
}
