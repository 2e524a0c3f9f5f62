/// A form in which a report can be written to a file.
public enum ReportFormat: String, Sendable, CaseIterable {
    case text, json, junit, tap, html

    /// The report in this form. Secrets were blanked out before anything came into it.
    ///
    /// - Throws: ``KitError``.
    public func text(_ report: ConformanceReport) throws -> String {
        switch self {
        case .text: TextReport().text(report)
        case .json: try JSONReport.text(report)
        case .junit: JUnitReport.text(report)
        case .tap: TAPReport.text(report)
        case .html: HTMLReport.text(report)
        }
    }
}
