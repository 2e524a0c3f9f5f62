import DocumentStorage

/// What one domain's provider has not heard of yet. Pure.
struct BacklogLine: Sendable {
    /// In the order in which it was done.
    var open: [JournalEntry]
    var failures = 0
    /// Something goes into a folder that is still to be sent.
    var awaitsFolder = false
    /// It is tried again by itself soon.
    var awaitsRetry = false
    /// How many were added, and how many of those there were when somebody looked last.
    private var added = 0
    private var seen = 0

    init(open: [JournalEntry] = []) {
        self.open = open
    }

    /// Whether something was added since somebody looked last.
    var isUnseen: Bool { added != seen }

    /// Those that are known stay as they are.
    mutating func add(_ entries: [JournalEntry]) {
        let known = Set(open.map(\.id))
        let new = entries.filter { !known.contains($0.id) }
        open += new
        added += new.count
    }

    /// For whoever carries out what is open, until nothing of it is left that can be.
    mutating func look() -> [JournalEntry] {
        seen = added
        return open
    }
}
