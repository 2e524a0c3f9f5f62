import DocumentHost
import DocumentModel
import Logging
import Testing

/// What providers have chosen, on its way into the host's log.
@Suite struct LogEventTests {
    private func event(_ message: String, _ metadata: Logger.Metadata?) -> LogEvent {
        LogEvent(
            level: .info, message: "\(message)", metadata: metadata, source: nil, file: "a/b.swift", function: "c",
            line: 1)
    }

    @Test("WIRE-52: whatever a provider calls its items, a line of the log is one line of plain text")
    func visible() throws {
        let evil = "a\u{1B}]0;owned\u{7}\nb\u{202E}gnp"
        let shown = "a\\u{1b}]0;owned\\u{7}\\u{a}b\\u{202e}gnp"
        let id = try ItemIdentifier(evil)
        let metadata: Logger.Metadata = [
            "text": .string(evil), "item": .stringConvertible(id), "all": .array([.string(evil)]),
            evil: .dictionary(["inner": .string(evil)]),
        ]
        let line = event(evil, metadata).onOneLine
        #expect(line.message.description == shown)
        let expected: Logger.Metadata = [
            "text": .string(shown), "item": .string(shown), "all": .array([.string(shown)]),
            shown: .dictionary(["inner": .string(shown)]),
        ]
        #expect(line.metadata == expected)
    }

    @Test("What is plain stays as it is, however long")
    func plain() {
        let text = String(repeating: "äöü — 🐌 ", count: 200)
        #expect(event(text, nil).onOneLine.message.description == text)
        #expect(event(text, nil).onOneLine.metadata == nil)
    }
}
