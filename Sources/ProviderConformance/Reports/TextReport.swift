/// The report for people, at a terminal.
public struct TextReport: Sendable {
    private let isVerbose: Bool

    /// - Parameter isVerbose: also the details of what passed, and each skip where it stands.
    public init(isVerbose: Bool = false) {
        self.isVerbose = isVerbose
    }

    /// One result, as it comes.
    public func line(_ result: CheckResult) -> String {
        let mark =
            switch result.outcome.state {
            case .passed: "pass"
            case .failed: "FAIL"
            case .skipped: "skip"
            case .disabled: "off "
            case .error: "ERR "
            }
        let check = result.check
        var text = "\(mark)  \(padded(check.id, 14)) \(padded(check.level.rawValue, 6)) \(check.title)\n"
        if result.outcome.state != .passed {
            text += indented(result.outcome.message, by: 6)
            if [.failed, .error].contains(result.outcome.state) {
                text += indented("Rule: \(check.rule.id) (\(check.rule.link))", by: 6)
                text += indented(result.outcome.detail, by: 8)
            }
        }
        return text
    }

    /// The whole report.
    public func text(_ report: ConformanceReport) -> String {
        report.results.map(line).joined() + "\n" + summary(report)
    }

    /// What is said at the end: the counts, the reasons of the skips, and the verdict.
    public func summary(_ report: ConformanceReport) -> String {
        var text = "\(report.subject)" + (report.software.isEmpty ? "" : ", \(report.software)") + "\n"
        for family in report.families where family.state > .passed {
            text += "  \(family.name): \(family.state.rawValue)\n"
        }
        let counts = [CheckState.passed, .failed, .skipped, .disabled, .error].map {
            "\(report.count($0)) \($0.rawValue)"
        }
        text += counts.joined(separator: ", ") + " of \(report.results.count) checks, "
        text += "\(Self.seconds(report.seconds)) s\n"
        for (state, words) in [(CheckState.skipped, "Skipped"), (.disabled, "Disabled")] {
            let reasons = Dictionary(grouping: report.results.filter { $0.outcome.state == state }) {
                $0.outcome.message
            }
            for (reason, results) in reasons.sorted(by: { $0.key < $1.key }) {
                text += "\(words), \(results.count): \(reason)\n"
            }
        }
        for (standing, words) in [
            (ConformanceReport.Standing.warning, "Warning"), (.remark, "Remark"), (.expected, "Expected failure"),
            (.flaky, "Flaky"), (.kitFault, "Fault of the kit"),
        ] {
            for result in report.results where report.standing(of: result) == standing {
                text += "\(words): \(result.check.id): \(result.outcome.message)\n"
            }
        }
        let unjudged = report.expectations.unjudged
        if !unjudged.isEmpty {
            text += "Expected failures that were not asked for in this run: \(Self.list(unjudged))\n"
        }
        for remark in report.remarks { text += remark + "\n" }
        text += causes(in: report)
        for complaint in report.complaints { text += complaint + "\n" }
        return text + report.verdict + "\n"
    }

    /// The failures by what is said of them, those of most checks first: one mistake fails many.
    private func causes(in report: ConformanceReport) -> String {
        let failures = report.results.filter { report.standing(of: $0) == .bad }
        let groups = Dictionary(grouping: failures) { $0.outcome.message }.filter { $0.value.count > 1 }
        return groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { message, results in
            "Failed, \(results.count) checks: \(message) (\(Self.list(results.map(\.check.id))))\n"
        }.joined()
    }

    private static func list(_ ids: [String]) -> String {
        let shown = ids.prefix(4).joined(separator: ", ")
        return ids.count > 4 ? "\(shown) and \(ids.count - 4) more" : shown
    }

    static func seconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func indented(_ text: String, by width: Int) -> String {
        let prefix = String(repeating: " ", count: width)
        return text.split(separator: "\n").map { prefix + $0 + "\n" }.joined()
    }
}
