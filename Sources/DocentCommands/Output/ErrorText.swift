import DocumentModel
import SystemPackage

/// How an error is told: one sentence with what to do next, then what caused it.
package enum ErrorText {
    package static func text(for error: any Error) -> String {
        switch error {
        case let error as DocumentError:
            var lines = ["docent: \(visible(error.message))"]
            lines += causes(of: error).map { "  because: \(visible($0))" }
            return lines.joined(separator: "\n")
        case is CancellationError: return "docent: Cancelled."
        case let error as Errno: return "docent: \(error)."
        default: return "docent: \(visible(String(describing: error)))"
        }
    }

    /// What caused it, without what the sentence has said already.
    static func causes(of error: DocumentError) -> [String] {
        var told = error.message
        return error.causes.filter { cause in
            defer { told += "\n" + cause }
            return !told.contains(cause)
        }
    }

    /// Texts of providers reach the terminal, too: what could move its cursor is made visible, and what breaks the line
    /// is a space, so that nobody's text passes for lines of ours.
    package static func visible(_ text: String) -> String {
        TerminalText.safe(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}
