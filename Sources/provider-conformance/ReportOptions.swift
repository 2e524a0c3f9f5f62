import ArgumentParser
import Foundation
import ProviderConformance

/// What a run prints, and the reports that it writes.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print only failures and the summary.")
    var quiet = false

    @Option(
        name: .customLong("report"),
        help: ArgumentHelp(
            "Write a report: text, json, junit, tap or html. May be repeated.", valueName: "FORMAT=FILE"))
    var reports: [ReportOption] = []

    @Option(help: ArgumentHelp("The list of failures that are known and excused.", valueName: "FILE"))
    var expected: String?

    /// Opens every report once, so that one that cannot be written is told before anything runs.
    func prepare() throws {
        for option in reports where !FileManager.default.fileExists(atPath: option.file) {
            try ToolOutput.write("", to: option.file)
        }
        for option in reports where !FileManager.default.isWritableFile(atPath: option.file) {
            throw ConformanceUsageError("“\(option.file)” cannot be written: choose another file for the report.")
        }
    }

    /// Prints a check's line as soon as it has ended.
    func show(_ result: CheckResult) {
        if !quiet || [.failed, .error].contains(result.outcome.state) { ToolOutput.print(TextReport().line(result)) }
    }

    /// Prints the summary and writes the reports, all that can be.
    ///
    /// - Throws: ``ConformanceUsageError`` for the first that cannot.
    func finish(_ report: ConformanceReport) throws {
        ToolOutput.print("\n" + TextReport().summary(report))
        var problem: (any Error)?
        for option in reports {
            do {
                try ToolOutput.write(try option.format.text(report), to: option.file)
            } catch {
                problem = problem ?? error
            }
        }
        if let problem { throw problem }
    }
}

/// `FORMAT=FILE`.
struct ReportOption: ExpressibleByArgument {
    let format: ReportFormat
    let file: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let format = ReportFormat(rawValue: String(parts[0])) else { return nil }
        self.format = format
        file = String(parts[1])
    }
}
