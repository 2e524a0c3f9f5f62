import DocumentModel
import Synchronization

/// One line on the terminal that says how far a transfer is; nothing where errors do not go to a terminal.
final class ProgressBar: Sendable {
    private let title: String
    private let isShown: Bool
    private let state = Mutex(State())

    private struct State {
        var begun = ContinuousClock().now
        var drawn: ContinuousClock.Instant?
        var hasEnded = false
    }

    /// Not more often than a person can see.
    private static let interval = Duration.milliseconds(80)

    init(_ title: String, isShown: Bool = Console.errorsGoToATerminal) {
        self.title = title
        self.isShown = isShown
    }

    func report(_ progress: TransferProgress) {
        guard isShown else { return }
        state.withLock { state in
            let now = ContinuousClock().now
            if let drawn = state.drawn, now - drawn < Self.interval, progress.done != progress.expected { return }
            guard !state.hasEnded else { return }
            state.drawn = now
            let line = Self.line(title, progress, elapsed: now - state.begun, width: Console.errorWidth)
            Console.complain("\r\u{1B}[K" + line, terminator: "")
        }
    }

    /// Says something in a line of its own, above.
    func say(_ text: String) {
        state.withLock { state in
            if state.drawn != nil, !state.hasEnded { Console.complain("\r\u{1B}[K", terminator: "") }
            Console.complain(text)
        }
    }

    /// Takes the line away.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            guard state.drawn != nil else { return }
            Console.complain("\r\u{1B}[K", terminator: "")
        }
    }

    static func line(_ title: String, _ progress: TransferProgress, elapsed: Duration, width: Int) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        // What a provider says to have done may be more than any integer holds.
        let pace = seconds > 0.5 ? UInt64(min(Double(progress.done) / seconds, 1e18)) : nil
        let rate = pace.map { "  \(Words.size($0))/s" } ?? ""
        guard let expected = progress.expected, expected > 0 else {
            return shortened("\(title)  \(Words.size(progress.done))\(rate)", to: width - 1)
        }
        let part = min(1, Double(progress.done) / Double(expected))
        let figures = "\(Int(part * 100)) %  \(Words.size(progress.done)) of \(Words.size(expected))\(rate)"
        let barWidth = min(30, width - 1 - title.displayWidth - figures.displayWidth - 6)
        guard barWidth >= 5 else { return shortened("\(title)  \(figures)", to: width - 1) }
        let filled = Int(part * Double(barWidth))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
        return "\(title)  \(bar)  \(figures)"
    }

    private static func shortened(_ text: String, to width: Int) -> String {
        text.displayWidth <= width ? text : String(text.prefix(max(0, width - 1))) + "…"
    }
}

/// Shows a progress bar while something runs, which can be given up (Ctrl-C).
func withProgress<Value>(
    _ title: String, _ body: (@escaping @Sendable (TransferProgress) -> Void) async throws -> Value
) async throws -> Value {
    let bar = ProgressBar(title)
    Interruption.begin()
    defer {
        Interruption.end()
        bar.end()
    }
    return try await body { bar.report($0) }
}
