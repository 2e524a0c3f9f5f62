import DocumentModel
import DocumentStorage
import Synchronization

/// Which moves out somebody is bringing to their end just now, and how often that failed.
final class DeparturesUnderWay: Sendable {
    private struct State {
        var entries: Set<Int64> = []
        /// One time after the other.
        var failures: [DomainName: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: false when somebody does that already.
    func begin(_ entry: JournalEntry) -> Bool { state.withLock { $0.entries.insert(entry.id).inserted } }

    func end(_ entry: JournalEntry) { state.withLock { _ = $0.entries.remove(entry.id) } }

    func succeeded(in domain: DomainName) { state.withLock { $0.failures[domain] = nil } }

    /// - Returns: how often it has failed by now.
    func failed(in domain: DomainName) -> Int {
        state.withLock { state in
            state.failures[domain, default: 0] += 1
            return state.failures[domain] ?? 1
        }
    }
}
