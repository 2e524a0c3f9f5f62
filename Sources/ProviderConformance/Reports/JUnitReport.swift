/// The report for build servers: one test suite a family. What counts as no failure in the verdict is none here.
enum JUnitReport {
    static func text(_ report: ConformanceReport) -> String {
        let failures = report.results.count { report.standing(of: $0) == .bad }
        let errors = report.results.count { report.standing(of: $0) == .kitFault }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        // A stale list and a run of nothing are failures that no check has.
        let beyond = report.complaints.dropFirst(failures > 0 ? 1 : 0)
        text +=
            "<testsuites name=\"\(Markup.escaped(report.subject))\" tests=\"\(report.results.count + beyond.count)\""
        text += " failures=\"\(failures + beyond.count)\" errors=\"\(errors)\" time=\"\(report.seconds)\">\n"
        for family in report.families { text += suite(family.name, family.results, report) }
        if !beyond.isEmpty {
            text += "  <testsuite name=\"run\" tests=\"\(beyond.count)\" failures=\"\(beyond.count)\">\n"
            for complaint in beyond {
                text += "    <testcase classname=\"run\" name=\"verdict\">"
                text += "<failure message=\"\(Markup.escaped(complaint))\"/></testcase>\n"
            }
            text += "  </testsuite>\n"
        }
        return text + "</testsuites>\n"
    }

    private static func suite(_ name: String, _ results: [CheckResult], _ report: ConformanceReport) -> String {
        let failures = results.count { report.standing(of: $0) == .bad }
        let errors = results.count { report.standing(of: $0) == .kitFault }
        let skipped = results.count { ![.good, .bad, .kitFault].contains(report.standing(of: $0)) }
        var text = "  <testsuite name=\"\(name)\" tests=\"\(results.count)\" failures=\"\(failures)\""
        text += " errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(results.reduce(0) { $0 + $1.seconds })\">\n"
        for result in results { text += testCase(result, report) }
        return text + "  </testsuite>\n"
    }

    private static func testCase(_ result: CheckResult, _ report: ConformanceReport) -> String {
        let check = result.check
        let name = Markup.escaped("\(check.id) \(check.title)")
        var text = "    <testcase classname=\"\(check.family)\" name=\"\(name)\" time=\"\(result.seconds)\">"
        let message = Markup.escaped(result.outcome.message)
        let detail = Markup.escaped("\(check.level.rawValue), \(check.rule.id)\n\(result.outcome.detail)")
        switch report.standing(of: result) {
        case .good: break
        case .bad: text += "<failure type=\"\(check.level.rawValue)\" message=\"\(message)\">\(detail)</failure>"
        case .kitFault: text += "<error message=\"\(message)\">\(detail)</error>"
        case .absent: text += "<skipped message=\"\(message)\"/>"
        case .warning, .remark, .flaky, .expected:
            text += "<skipped message=\"\(report.standing(of: result).rawValue): \(message)\"/>"
        }
        if !result.log.isEmpty {
            text += "<system-err>\(Markup.escaped(result.log.joined(separator: "\n")))</system-err>"
        }
        return text + "</testcase>\n"
    }
}
