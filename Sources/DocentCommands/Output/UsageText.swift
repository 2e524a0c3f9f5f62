/// How wrong usage is told: what is wrong in one sentence, then how the command is used.
enum UsageText {
    /// - Parameter message: ArgumentParser's.
    static func text(_ message: String) -> String {
        var message = message
        let prefix = "Error: "
        if message.hasPrefix(prefix) { message.removeFirst(prefix.count) }
        // “The value 'x' is invalid for '<location>': …”: what follows is our own sentence, and names the value.
        if message.hasPrefix("The value '"), let end = message.firstRange(of: ">': ") {
            message.removeSubrange(..<end.upperBound)
        }
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix("Help:") }
        return "docent: " + lines.joined(separator: "\n")
    }
}
