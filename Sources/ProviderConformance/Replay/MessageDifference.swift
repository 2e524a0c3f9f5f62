/// What two messages in protobuf's text format differ in: each field by the names that lead to it, one a line.
struct MessageDifference: Hashable, Sendable {
    let recorded: String
    let found: String

    /// - Parameters: the texts, the first line of each being what it is.
    init(recorded: String, found: String) {
        let (one, two) = (Self.lines(of: recorded), Self.lines(of: found))
        let (mine, others) = (Set(one), Set(two))
        let (left, right) = (one.filter { !others.contains($0) }, two.filter { !mine.contains($0) })
        // The same lines in another order, or more than once.
        let isElsewhere = left.isEmpty && right.isEmpty
        self.recorded = Self.shown(isElsewhere ? one : left)
        self.found = Self.shown(isElsewhere ? two : right)
    }

    private static let most = 24

    private static func shown(_ lines: [String]) -> String {
        if lines.isEmpty { return "nothing of that" }
        let more = lines.count > most ? ["and \(lines.count - most) more fields"] : []
        return (lines.prefix(most) + more).joined(separator: "\n  ")
    }

    /// `enumerate.items[2].name: "a.txt"`
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var path: [String] = []
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.trimmingPrefix { $0 == " " }
            if words == "}" {
                _ = path.popLast()
            } else if words.hasSuffix(" {") {
                let place = (path + [String(words.dropLast(2))]).joined(separator: ".")
                let number = counts[place, default: 0]
                counts[place] = number + 1
                path.append(words.dropLast(2) + (number > 0 ? "[\(number + 1)]" : ""))
            } else {
                lines.append((path + [String(words)]).joined(separator: "."))
            }
        }
        return lines
    }
}
