/// Which bytes a 206 answer has (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int64
    let last: Int64
    /// Of the whole contents; nil when it is not told.
    let total: Int64?

    /// Nil for what makes no sense, and for other units than bytes.
    init?(_ text: String) {
        let words = text.trimmed.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]), first >= 0, last >= first else {
            return nil
        }
        let total = parts[1] == "*" ? nil : Int64(parts[1])
        guard parts[1] == "*" || total.map({ $0 > last }) == true else { return nil }
        self.first = first
        self.last = last
        self.total = total
    }
}
