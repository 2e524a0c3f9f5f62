/// How removals of one side went so far.
package struct RemovalWatchRecord: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Seconds since 1970.
        package var time: Int64
        package var count: Int
        /// Of them, as many as are no deletions after all, as far as is known by now; not written down.
        package var excused: Int
        /// What was removed, in words of ``RemovalTrace``; nil where it counts whatever came of it.
        package var trace: String?

        package init(time: Int64, count: Int, excused: Int = 0, trace: String? = nil) {
            self.time = time
            self.count = count
            self.excused = excused
            self.trace = trace
        }
    }

    /// So much is known one by one; what went before that is only a number.
    static let mostTraces = 128

    /// Since when an answer is waited for, in seconds since 1970; nil when none is.
    package var asked: Int64?
    package var recent: [Entry]

    package init(asked: Int64? = nil, recent: [Entry] = []) {
        self.asked = asked
        self.recent = recent
    }

    /// Whether there is more to be looked up than is kept.
    var isCrowded: Bool { recent.count { $0.trace != nil } > Self.mostTraces }

    /// What goes now was in place of what went before.
    mutating func replaced(by removals: [GatheredRemoval]) {
        let places = removals.compactMap { removal in
            removal.trace.map { (RemovalTrace.place(in: $0), removal.count) }
        }
        let counts = Dictionary(places) { first, _ in first }
        for index in recent.indices {
            guard let trace = recent[index].trace, let count = counts[RemovalTrace.place(in: trace)] else { continue }
            recent[index].count -= min(recent[index].count, count)
        }
        recent.removeAll { $0.count == 0 }
    }

    /// It was not removed after all, as far as it is known one by one.
    ///
    /// - Returns: whether it was there.
    mutating func takeBack(_ trace: String) -> Bool {
        guard let last = recent.lastIndex(where: { $0.trace == trace }) else { return false }
        recent.remove(at: last)
        return true
    }

    /// What has been known longest is what it has come to by now.
    mutating func settle() {
        guard isCrowded else { return }
        let traced = recent.indices.filter { recent[$0].trace != nil }
        for index in traced.dropLast(Self.mostTraces / 2) {
            recent[index] = Entry(time: recent[index].time, count: recent[index].count - recent[index].excused)
        }
        var merged: [Entry] = []
        for entry in recent where entry.count > 0 {
            if entry.trace == nil, let last = merged.lastIndex(where: { $0.trace == nil }),
                merged[last].time / 60 == entry.time / 60
            {
                merged[last].count += entry.count
            } else {
                merged.append(entry)
            }
        }
        recent = merged
    }

    var text: String {
        recent.map { "\($0.time):\($0.count)" + ($0.trace.map { ":" + $0 } ?? "") }.joined(separator: " ")
    }

    init(asked: Int64?, text: String) {
        self.asked = asked
        recent = text.split(separator: " ").compactMap { entry in
            let parts = entry.split(separator: ":")
            guard (2...3).contains(parts.count), let time = Int64(parts[0]), let count = Int(parts[1]) else {
                return nil
            }
            return Entry(time: time, count: count, trace: parts.count == 3 ? String(parts[2]) : nil)
        }
    }
}
