/// The report as one page for a browser: every check with every exchange, and nothing that is loaded from elsewhere.
enum HTMLReport {
    static func text(_ report: ConformanceReport) -> String {
        let title = Markup.escaped("Conformance of \(report.subject)")
        var text = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <style>\(style)</style></head><body>
            <h1>\(title)</h1>
            <p class="verdict \(report.exitStatus == 0 ? "passed" : "failed")">\(verdict(report))</p>
            <p>\(Markup.escaped(report.software)) · \(Markup.escaped(report.started)) · \
            \(TextReport.seconds(report.seconds)) s</p>
            <table><tr><th>Family</th><th>State</th>\(heads)</tr>

            """
        for family in report.families {
            text += "<tr><td><a href=\"#\(family.name)\">\(family.name)</a></td>"
            text += "<td class=\"\(family.state.rawValue)\">\(family.state.rawValue)</td>"
            for state in states { text += "<td>\(family.results.count { $0.outcome.state == state })</td>" }
            text += "</tr>\n"
        }
        text += "</table>\n"
        for family in report.families {
            text += "<h2 id=\"\(family.name)\">\(family.name)</h2>\n"
            for result in family.results { text += section(result, report) }
        }
        return text + "</body></html>\n"
    }

    private static let states: [CheckState] = [.passed, .failed, .skipped, .disabled, .error]

    private static var heads: String { states.map { "<th>\($0.rawValue)</th>" }.joined() }

    private static func verdict(_ report: ConformanceReport) -> String {
        return (report.complaints + [report.verdict] + report.remarks).map(Markup.escaped).joined(separator: "<br>")
    }

    private static func section(_ result: CheckResult, _ report: ConformanceReport) -> String {
        let check = result.check
        let state = result.outcome.state
        var text = "<details id=\"\(check.id)\"\(state >= .failed ? " open" : "")>"
        text += "<summary><span class=\"\(state.rawValue)\">\(state.rawValue)</span> <b>\(check.id)</b> "
        text += "\(check.level.rawValue) \(Markup.escaped(check.title))</summary>\n"
        let standing = report.standing(of: result)
        text += "<p>Rule: \(Markup.escaped(check.rule.id)), \(Markup.escaped(check.rule.link))"
        text +=
            [.expected, .flaky, .warning, .remark].contains(standing) ? " · counts as \(standing.rawValue)</p>" : "</p>"
        if !result.outcome.message.isEmpty { text += "<p><b>\(Markup.escaped(result.outcome.message))</b></p>" }
        if !result.outcome.detail.isEmpty { text += "<pre>\(Markup.escaped(result.outcome.detail))</pre>" }
        if !result.exchanges.isEmpty {
            text += "<table class=\"exchanges\">\n"
            for exchange in result.exchanges {
                text += "<tr><td>\(microseconds(exchange.time))</td><td>\(exchange.isToProvider ? "→" : "←")</td>"
                text += "<td>\(Markup.escaped(exchange.summary))"
                if !exchange.text.isEmpty {
                    text += "<details><summary>all</summary><pre>\(Markup.escaped(exchange.text))</pre></details>"
                }
                text += "</td></tr>\n"
            }
            text += "</table>\n"
        }
        if !result.recordings.isEmpty {
            text += "<p>Recorded in \(Markup.escaped(result.recordings.joined(separator: ", ")))</p>\n"
        }
        if !result.log.isEmpty {
            text += "<p>Standard error:</p><pre>\(Markup.escaped(result.log.joined(separator: "\n")))</pre>\n"
        }
        return text + "</details>\n"
    }

    private static func microseconds(_ seconds: Double) -> String { "\(Int(seconds * 1_000_000)) µs" }

    private static let style = """
        body { font: 15px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
        table { border-collapse: collapse; } td, th { border: 1px solid #ccc; padding: .2em .6em; text-align: left; }
        pre { background: #f4f4f4; overflow-x: auto; padding: .5em; white-space: pre-wrap; }
        .exchanges td { vertical-align: top; font-size: 13px; }
        .passed { color: #0a6b2d; } .failed, .error { color: #b00020; font-weight: bold; }
        .skipped, .disabled { color: #666; }
        """
}
