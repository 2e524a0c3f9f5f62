import DocumentModel
import Foundation
import ProviderConformance
import Testing

@Suite("Reports")
struct ReportTests {
    private static func result(
        _ id: String, _ state: CheckState, _ level: CheckLevel = .must, message: String = "It is <wrong> & “bad”."
    ) -> CheckResult {
        CheckResult(
            check: CheckDescription(id: id, title: "A rule with # and <b>", level: level, rule: .rule("ID-1")),
            outcome: CheckOutcome(
                state, state == .passed ? "" : message, detail: state == .failed ? "so\nwrong\u{1}" : ""),
            seconds: 0.25,
            exchanges: [Exchange(time: 0.001, isToProvider: true, summary: "Request 1 <x>", text: "all & more")],
            log: ["a line <of> its own"])
    }

    static func report(_ results: [CheckResult], strict: Bool = false) -> ConformanceReport {
        ConformanceReport(
            subject: "Photos & <more>", software: "photos 2.1", started: "2026-01-02T03:04:05Z", seconds: 1.5,
            isStrict: strict, isPartial: false, results: results)
    }

    private static let every = report([
        result("PC-A-001", .passed), result("PC-A-002", .failed), result("PC-A-003", .skipped),
        result("PC-B-001", .disabled), result("PC-B-002", .failed, .should), result("PC-B-003", .failed, .may),
    ])

    @Test("How the checks were run is said where people and programs look for it")
    func remarks() throws {
        var report = Self.every
        report.remarks = ["This kernel has no Landlock."]
        for format in [ReportFormat.text, .html, .json] {
            #expect(try format.text(report).contains("This kernel has no Landlock."), "\(format)")
        }
        #expect(report.exitStatus == Self.every.exitStatus)
    }

    @Test("The text report has a line for each check, skips beside passes, and the counts")
    func text() throws {
        let text = try ReportFormat.text.text(Self.every)
        for result in Self.every.results { #expect(text.contains(result.check.id)) }
        #expect(text.contains("1 passed, 3 failed, 1 skipped, 1 disabled, 0 error of 6 checks, 1.50 s"))
        #expect(text.contains("Skipped, 1: It is <wrong>"))
        #expect(text.contains("Warning: PC-B-002"))
        #expect(text.contains("Remark: PC-B-003"))
        #expect(text.contains("Does not conform"))
        #expect(try ReportFormat.text.text(Self.report([Self.result("PC-A-001", .passed)])).contains("\nConforms"))
    }

    @Test("The verdict is one sentence for each cause: failures, an end of the run, nothing that ran, a stale list")
    func verdicts() throws {
        let good = Self.result("PC-A-001", .passed)
        #expect(Self.report([good]).verdict == "Conforms in all that was checked.")
        #expect(Self.every.verdict == "Does not conform.")
        var interrupted = Self.report([good])
        interrupted.notBegun = 7
        #expect(interrupted.verdict.contains("interrupted"))
        #expect(Self.report([Self.result("PC-A-001", .skipped)]).verdict.contains("nothing was checked"))
        var stale = Self.report([good])
        stale.expectations.stale = [.init(id: "PC-A-001", reason: "it passes.")]
        #expect(stale.verdict.contains("stale"))
        #expect(Self.report([Self.result("PC-A-001", .error)]).verdict.contains("the kit itself failed"))
        for report in [Self.report([good]), Self.every, interrupted, stale] {
            for format in [ReportFormat.text, .html] {
                #expect(try format.text(report).contains(report.verdict), "\(format)")
            }
        }
    }

    @Test("The JSON report holds everything and the verdict")
    func json() throws {
        let text = try ReportFormat.json.text(Self.every)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["exitStatus"] as? Int == 1)
        #expect(
            object["counts"] as? [String: Int] == ["passed": 1, "failed": 3, "skipped": 1, "disabled": 1, "error": 0])
        let report = try #require(object["report"] as? [String: Any])
        #expect((report["results"] as? [Any])?.count == 6)
    }

    @Test("The JUnit report is well-formed XML in which only what counts as a failure is one")
    func junit() throws {
        let text = try ReportFormat.junit.text(Self.every)
        try expectWellFormed(text)
        #expect(text.components(separatedBy: "<failure").count - 1 == 1)
        #expect(text.components(separatedBy: "<skipped").count - 1 == 4)
        #expect(text.contains("failures=\"1\" errors=\"0\""))
        #expect(text.contains("warning: It is &lt;wrong&gt; &amp; “bad”."))
        // What no check can show is a failure of its own.
        let nothing = try ReportFormat.junit.text(Self.report([Self.result("PC-A-001", .skipped)]))
        try expectWellFormed(nothing)
        #expect(nothing.contains("Nothing was checked."))
        #expect(nothing.contains("failures=\"1\""))
    }

    @Test("The TAP report numbers its lines and says what is skipped")
    func tap() throws {
        let lines = try ReportFormat.tap.text(Self.every).split(separator: "\n")
        #expect(lines.first == "TAP version 14")
        #expect(lines.contains("1..6"))
        #expect(lines.contains("ok 1 - PC-A-001 A rule with \\# and <b>"))
        #expect(lines.contains { $0.hasPrefix("not ok 2 - PC-A-002") && !$0.contains("TODO") })
        #expect(lines.contains { $0.hasPrefix("ok 3 - ") && $0.contains("# SKIP") })
        #expect(lines.contains { $0.hasPrefix("not ok 5 - ") && $0.hasSuffix("# TODO warning") })
        #expect(lines.count { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") } == 6)
    }

    @Test("The HTML page shows every exchange, loads nothing, and lets no text become markup")
    func html() throws {
        let text = try ReportFormat.html.text(Self.every)
        #expect(text.components(separatedBy: "Request 1 &lt;x&gt;").count - 1 == 6)
        #expect(text.contains("Photos &amp; &lt;more&gt;"))
        for wrong in ["<x>", "<more>", "<wrong>", "<of>", "src=", "href=\"http", "<script"] {
            #expect(!text.contains(wrong), "\(wrong)")
        }
    }

    private func expectWellFormed(_ xml: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString).xml")
        try Data(xml.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", file.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(xml)")
    }
}
