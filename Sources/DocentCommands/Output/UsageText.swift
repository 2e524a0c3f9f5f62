/// How wrong usage is told: what is wrong in one sentence, then how the command is used.
enum UsageText {
    /// - Parameter message: ArgumentParser's.
    static func text(_ message: String) -> String {
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard var first = lines.first else { return message }
        let prefix = "Error: "
        if first.hasPrefix(prefix) { first.removeFirst(prefix.count) }
        // “The value 'x' is invalid for '<location>': …”: what follows is our own sentence, and names the value.
        if first.hasPrefix("The value '"), let end = first.firstRange(of: ">': ") {
            first.removeSubrange(..<end.upperBound)
        }
        lines[0] = "docent: " + first
        lines.removeAll { $0.hasPrefix("Help:") }
        return lines.joined(separator: "\n")
    }
}
