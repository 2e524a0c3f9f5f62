import Foundation

/// The report for programs: all that is known, and the verdict.
enum JSONReport {
    private struct Document: Encodable {
        var format = 1
        var exitStatus: Int32
        var complaints: [String]
        var counts: [String: Int]
        var report: ConformanceReport
    }

    static func text(_ report: ConformanceReport) throws -> String {
        let counts = Dictionary(uniqueKeysWithValues: CheckState.allCases.map { ($0.rawValue, report.count($0)) })
        let document = Document(
            exitStatus: report.exitStatus, complaints: report.complaints, counts: counts, report: report)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
        } catch {
            throw KitError("The report cannot be written as JSON: \(error)")
        }
    }
}
