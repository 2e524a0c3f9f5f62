/// What came of a whole run, of checks of a provider or of attacks on a host.
public struct ConformanceReport: Sendable, Codable {
    /// Who was judged, for people: `Photos (org.example.photos)`.
    public var subject: String
    /// What it calls itself, if it said so.
    public var software: String
    /// When the run began, in ISO 8601.
    public var started: String
    /// In seconds.
    public var seconds: Double
    /// Whether a failed SHOULD counts as a failure.
    public var isStrict: Bool
    /// Whether only some of the checks were asked for.
    public var isPartial: Bool
    public var results: [CheckResult]
    public var expectations: ExpectationReview
    /// How many checks were not begun, because the run was interrupted.
    public var notBegun = 0
    /// What the kit itself could not do beside the checks, one sentence each.
    public var faults: [String] = []
    /// What is to be known of how the checks were run, one sentence each.
    public var remarks: [String] = []

    /// - Parameters: as the properties.
    public init(
        subject: String, software: String = "", started: String, seconds: Double, isStrict: Bool, isPartial: Bool,
        results: [CheckResult], expectations: ExpectationReview = ExpectationReview()
    ) {
        self.subject = subject
        self.software = software
        self.started = started
        self.seconds = seconds
        self.isStrict = isStrict
        self.isPartial = isPartial
        self.results = results
        self.expectations = expectations
    }

    /// How many results have a state.
    public func count(_ state: CheckState) -> Int { results.count { $0.outcome.state == state } }

    /// The results of one family after the other, in the order in which they came.
    public var families: [(name: String, state: CheckState, results: [CheckResult])] {
        var names: [String] = []
        var groups: [String: [CheckResult]] = [:]
        for result in results {
            if groups[result.check.family] == nil { names.append(result.check.family) }
            groups[result.check.family, default: []].append(result)
        }
        return names.map { name in
            let group = groups[name] ?? []
            return (name, group.map(\.outcome.state).max() ?? .passed, group)
        }
    }

    /// How a result is counted in the verdict.
    public func standing(of result: CheckResult) -> Standing {
        switch result.outcome.state {
        case .passed: return .good
        case .skipped, .disabled: return .absent
        case .error: return .kitFault
        case .failed:
            if expectations.expected.contains(result.check.id) { return .expected }
            if expectations.flaky.contains(result.check.id) { return .flaky }
            switch result.check.level {
            case .must: return .bad
            case .should: return isStrict ? .bad : .warning
            case .may: return .remark
            }
        }
    }

    /// What a result means for the verdict.
    public enum Standing: String, Sendable, Codable {
        case good, absent, remark, warning, flaky, expected, bad, kitFault
    }

    /// Why the run fails, one sentence each; empty when all is as it should be. Checks in which the kit failed are not in it.
    public var complaints: [String] {
        var complaints: [String] = []
        let bad = results.count { standing(of: $0) == .bad }
        if bad > 0 { complaints.append(bad == 1 ? "1 check failed." : "\(bad) checks failed.") }
        if notBegun > 0 { complaints.append("The run was interrupted: \(notBegun) checks were not begun.") }
        complaints += expectations.stale.map { "The expected failure \($0.id) is stale: \($0.reason)" }
        if !results.contains(where: { [.passed, .failed, .error].contains($0.outcome.state) }) {
            complaints.append("Nothing was checked.")
        }
        return complaints + faults
    }

    /// All in one sentence: the worst that is to be said.
    public var verdict: String {
        if exitStatus == 0 { return "Conforms in all that was checked." }
        if results.contains(where: { standing(of: $0) == .bad }) {
            return "Does not conform."
        }
        if exitStatus == 3 { return "No verdict: the kit itself failed." }
        if notBegun > 0 { return "No verdict: the run was interrupted. Run it again." }
        if !results.contains(where: { [.passed, .failed, .error].contains($0.outcome.state) }) {
            return "No verdict: nothing was checked. Choose other checks, or allow more with --mutating."
        }
        return "The provider conforms, and the list of expected failures is stale: correct the list."
    }

    /// 0 when all is as expected, 1 with failures, 3 when the kit itself failed. (2 is wrong usage, which has no report.)
    public var exitStatus: Int32 {
        if !faults.isEmpty || results.contains(where: { standing(of: $0) == .kitFault }) { return 3 }
        return complaints.isEmpty ? 0 : 1
    }
}
