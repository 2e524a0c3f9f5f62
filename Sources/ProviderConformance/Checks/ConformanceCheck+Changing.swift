import DocumentModel

extension ConformanceCheck {
    /// A check that changes things, in a folder of its own in the shared session.
    static func changing(
        _ id: String, _ level: CheckLevel, _ title: String, rule: RuleReference, needs: [ProviderCapability] = [],
        limit: Duration = .seconds(30),
        body: @escaping @Sendable (ConformanceSession, Item) async throws -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            id, level, title, rule: rule, needs: [.modifying] + needs, mutates: true, limit: limit
        ) { context in
            try await context.freshContainer { session, container in try await body(session, container) }
        }
    }
}
