import DocumentModel
import DocumentTestSupport
import ProviderConformance
import SystemPackage
import Testing

@Suite("The list of expected failures")
struct ExpectedFailuresTests {
    private static let known = ["PC-A-001", "PC-A-002", "PC-A-003", "PC-A-004"]

    private func report(_ states: [(String, CheckState, String)], partial: Bool = false) -> ConformanceReport {
        var report = ReportTests.report(
            states.map { id, state, message in
                CheckResult(
                    check: CheckDescription(id: id, title: "A rule", level: .must, rule: .rule("ID-1")),
                    outcome: CheckOutcome(state, message))
            })
        report.isPartial = partial
        return report
    }

    private func review(
        _ list: ExpectedFailures, _ states: [(String, CheckState, String)]
    ) -> (review: ExpectationReview, exit: Int32) {
        var report = report(states)
        report.expectations = list.review(report, known: Self.known)
        return (report.expectations, report.exitStatus)
    }

    private static let list = ExpectedFailures(failures: [
        .init(id: "PC-A-001", message: "It is * wrong.", reason: "#42")
    ])

    @Test("§10.4: what fails as expected does not fail the run")
    func expected() {
        let outcome = review(Self.list, [("PC-A-001", .failed, "It is very wrong."), ("PC-A-002", .passed, "")])
        #expect(outcome.review.expected == ["PC-A-001"])
        #expect(outcome.exit == 0)
    }

    @Test(
        "§10.4: an entry that passes, is skipped, is disabled or fails differently is stale, and fails the run",
        arguments: [
            (CheckState.passed, ""), (.skipped, "No."), (.disabled, "No."), (.failed, "It is something else."),
        ])
    func stale(state: CheckState, message: String) {
        let outcome = review(Self.list, [("PC-A-001", state, message), ("PC-A-002", .passed, "")])
        #expect(outcome.review.stale.map(\.id) == ["PC-A-001"])
        #expect(outcome.exit == 1)
    }

    @Test("§10.4: a name that matches nothing is stale, flaky or not")
    func unknown() {
        let list = ExpectedFailures(
            failures: [.init(id: "PC-Z-001", message: "x", reason: "y")], flaky: [.init(id: "PC-Z-002", reason: "z")])
        let outcome = review(list, [("PC-A-002", .passed, "")])
        #expect(outcome.review.stale.map(\.id) == ["PC-Z-001", "PC-Z-002"])
        #expect(outcome.exit == 1)
    }

    @Test("§10.4: a flaky check may fail and may pass, and is listed apart", arguments: [CheckState.passed, .failed])
    func flaky(state: CheckState) {
        let list = ExpectedFailures(flaky: [.init(id: "PC-A-001", reason: "The clock jumps.")])
        let outcome = review(list, [("PC-A-001", state, "Late."), ("PC-A-002", .passed, "")])
        #expect(outcome.review.flaky == ["PC-A-001"] && outcome.review.stale.isEmpty)
        #expect(outcome.exit == 0)
    }

    @Test("Of several rounds, one that fails differently is enough")
    func rounds() {
        let outcome = review(
            Self.list, [("PC-A-001", .failed, "It is very wrong."), ("PC-A-001", .failed, "Quite another thing.")])
        #expect(outcome.review.expected.isEmpty && outcome.review.stale.map(\.id) == ["PC-A-001"])
        #expect(outcome.exit == 1)
    }

    @Test("A run of some checks says nothing of the entries of others")
    func partial() {
        let outcome = review(Self.list, [("PC-A-002", .passed, "")])
        #expect(outcome.review.stale.isEmpty && outcome.exit == 0)
    }

    @Test("A rewritten list is what came of the run, keeps its reasons, and can be read back")
    func rewriting() async throws {
        let run = report([
            ("PC-A-001", .failed, "It is very wrong."), ("PC-A-002", .passed, ""),
            ("PC-A-003", .failed, "A \"new\" \\one."),
        ])
        let list = try Self.list.rewritten(for: run)
        #expect(list.failures.map(\.id) == ["PC-A-001", "PC-A-003"])
        #expect(list.failures[0] == Self.list.failures[0])
        try await TemporaryFile.with(contents: list.text) { path in
            // The name decides the format, and this one has no ending.
            let read = try ExpectedFailures.read(path.string)
            #expect(read == list)
        }
        var review = run
        review.expectations = list.review(run, known: Self.known)
        #expect(review.exitStatus == 0)
    }

    @Test("A list is not rewritten after a run of some checks, or one in which the kit failed")
    func refusedRewriting() {
        #expect(throws: ConformanceUsageError.self) {
            try Self.list.rewritten(for: report([("PC-A-002", .passed, "")], partial: true))
        }
        #expect(throws: ConformanceUsageError.self) {
            try Self.list.rewritten(for: report([("PC-A-002", .error, "Broken.")]))
        }
        #expect(throws: ConformanceUsageError.self) {
            try Self.list.rewritten(for: report([("PC-A-002", .failed, "The run was interrupted.")]))
        }
        var cut = report([("PC-A-002", .passed, "")])
        cut.notBegun = 1
        #expect(throws: ConformanceUsageError.self) { try Self.list.rewritten(for: cut) }
        // What was not allowed to run is not taken from the list.
        #expect(throws: ConformanceUsageError.self) {
            try Self.list.rewritten(for: report([("PC-A-001", .disabled, "It changes documents.")]))
        }
    }

    @Test(
        "A list with an entry twice, without a reason or with unknown keys is refused",
        arguments: [
            "[[failures]]\nid = \"A\"\nmessage = \"m\"\nreason = \"\"", "[[failures]]\nid = \"A\"\nreason = \"r\"",
            "[[flaky]]\nid = \"A\"\nreason = \"\"", "[[wrong]]\nid = \"A\"", "nonsense",
            "[[failures]]\nid = \"A\"\nmessage = \"m\"\nreason = \"r\"\n[[flaky]]\nid = \"A\"\nreason = \"r\"",
        ])
    func malformed(text: String) async throws {
        try await TemporaryFile.with(contents: text) { path in
            _ = #expect(throws: ConformanceUsageError.self) { _ = try ExpectedFailures.read(path.string) }
        }
    }

    @Test("A list holds what can be written down: a NUL in a message becomes a *, and one in a file is refused")
    func withoutNUL() throws {
        let list = try ExpectedFailures().rewritten(for: report([("PC-TEST-001", .failed, "It says \0 so.")]))
        #expect(list.failures.map(\.message) == ["It says * so."])
        #expect(try list.checked("list") == list)
        let bad = ExpectedFailures(flaky: [.init(id: "PC-TEST-001", reason: "\0")])
        #expect(throws: ConformanceUsageError.self) { try bad.checked("list") }
    }
}
