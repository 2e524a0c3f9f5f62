/// The report in the Test Anything Protocol, version 14.
enum TAPReport {
    static func text(_ report: ConformanceReport) -> String {
        var text = "TAP version 14\n"
        let failures = report.results.contains { report.standing(of: $0) == .bad }
        let beyond = report.complaints.dropFirst(failures ? 1 : 0)
        text += "1..\(report.results.count + beyond.count)\n"
        text += "# \(line(report.subject))\n"
        var number = 0
        for result in report.results {
            number += 1
            let standing = report.standing(of: result)
            let isOK = [.good, .absent].contains(standing)
            text += "\(isOK ? "ok" : "not ok") \(number) - \(result.check.id) \(escaped(result.check.title))"
            switch standing {
            case .absent: text += " # SKIP \(escaped(result.outcome.message))"
            // What fails and does not count.
            case .warning, .remark, .flaky, .expected: text += " # TODO \(standing.rawValue)"
            case .good, .bad, .kitFault: break
            }
            text += "\n"
            if !isOK { text += diagnostics(result) }
        }
        for complaint in beyond {
            number += 1
            text += "not ok \(number) - \(escaped(complaint))\n"
        }
        return text
    }

    private static func diagnostics(_ result: CheckResult) -> String {
        var text = "  ---\n"
        text += "  message: \(ExpectedFailures.quoted(result.outcome.message))\n"
        text += "  level: \(result.check.level.rawValue)\n"
        text += "  rule: \(ExpectedFailures.quoted(result.check.rule.id))\n"
        text += "  detail: \(ExpectedFailures.quoted(result.outcome.detail))\n"
        return text + "  ...\n"
    }

    private static func escaped(_ text: String) -> String {
        line(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
