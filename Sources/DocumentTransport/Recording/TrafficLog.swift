import Synchronization

/// Entries in memory: the newest ones, as many as fit.
package final class TrafficLog: Sendable {
    private let limit: Int
    private let state = Mutex(State())

    private struct State {
        var entries = Deque<TrafficEntry>()
        var bytes = 0
        var leftOut = 0
    }

    /// - Parameter limit: how many bytes of frames are kept.
    package init(limit: Int) {
        self.limit = limit
    }

    package func append(_ entry: TrafficEntry) {
        state.withLock { state in
            state.entries.append(entry)
            state.bytes += entry.weight
            while state.bytes > limit, let first = state.entries.popFirst() {
                state.bytes -= first.weight
                state.leftOut += 1
            }
        }
    }

    /// What is kept, oldest first.
    package var entries: [TrafficEntry] {
        state.withLock { state in
            var entries: [TrafficEntry] = []
            var rest = state.entries
            while let entry = rest.popFirst() { entries.append(entry) }
            return entries
        }
    }

    /// How many older ones did not fit.
    package var leftOut: Int { state.withLock { $0.leftOut } }
}

extension TrafficEntry {
    /// What it takes in memory, roughly.
    fileprivate var weight: Int {
        switch content {
        case .frame(let bytes), .bytes(let bytes): 64 + bytes.count
        case .preface, .end: 64
        }
    }
}
