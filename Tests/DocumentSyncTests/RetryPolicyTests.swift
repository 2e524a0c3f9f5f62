import DocumentModel
import DocumentSync
import Testing

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(first: .seconds(1), longest: .seconds(60))

    @Test("PROV-22: resolvable errors wait for a signal, definitive ones are answers")
    func classes() {
        #expect(policy.decision(for: DocumentError(.notAuthenticated, ""), attempt: 1, jitter: 0) == .hold)
        #expect(policy.decision(for: DocumentError(.noSuchItem, ""), attempt: 1, jitter: 0) == .giveUp)
        #expect(policy.decision(for: DocumentError(.invalidArgument, ""), attempt: 1, jitter: 0) == .giveUp)
    }

    @Test("PROV-22: everything else is tried again, later and later, within a bound")
    func backOff() {
        let unknown = DocumentError(DocumentError.Code(rawValue: 399), "")
        #expect(policy.decision(for: unknown, attempt: 1, jitter: 1) == .retry(after: .seconds(1)))
        #expect(policy.decision(for: unknown, attempt: 4, jitter: 1) == .retry(after: .seconds(8)))
        #expect(policy.decision(for: unknown, attempt: 4, jitter: 0) == .retry(after: .seconds(4)))
        #expect(policy.decision(for: unknown, attempt: 60, jitter: 1) == .retry(after: .seconds(60)))
        let patient = DocumentError(.busy, "", retryAfter: .seconds(90))
        #expect(policy.decision(for: patient, attempt: 1, jitter: 0) == .retry(after: .seconds(90)))
    }

    @Test("PROV-22: a provider that asks for a year of patience gets an hour")
    func bounded() {
        let patient = DocumentError(.busy, "", retryAfter: .seconds(365 * 86_400))
        #expect(policy.decision(for: patient, attempt: 1, jitter: 1) == .retry(after: .seconds(3600)))
        let hour = DocumentError(.busy, "", retryAfter: .seconds(3600))
        #expect(policy.decision(for: hour, attempt: 1, jitter: 1) == .retry(after: .seconds(3600)))
    }
}
