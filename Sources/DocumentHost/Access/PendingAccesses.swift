import DocumentModel
import FileCoordination
import Synchronization

/// Accesses that wait for something before they can ask for their claims, so that they say so, too (COORD-39).
final class PendingAccesses: Sendable {
    enum Phase {
        /// The provider is asked what has changed.
        case news
        /// The item's place is looked up, if need be at the provider.
        case place
        /// The document here is outdated.
        case newerContents
    }

    private struct Entry {
        let phase: Phase
        let intention: AccessRequest.Intention
        let owner: ClaimOwner
    }

    private let state = Mutex((last: UInt64(0), entries: [UInt64: Entry]()))

    /// Does what is waited for.
    func during<Value>(
        _ phase: Phase, _ intention: AccessRequest.Intention, by owner: ClaimOwner,
        _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        let number = state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(phase: phase, intention: intention, owner: owner)
            return state.last
        }
        defer { state.withLock { _ = $0.entries.removeValue(forKey: number) } }
        return try await body()
    }

    /// What is waited for, the oldest first.
    var explanations: [String] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key < $1.key }.map { _, entry in
            let location = entry.intention.location
            let until =
                switch entry.phase {
                case .news: "the provider of \(location.domain) has said what is new"
                case .place: "it is found"
                case .newerContents: "the provider has brought its newer contents"
                }
            let verb = entry.intention.intent == .reading ? "read" : "write"
            return "\(entry.owner) waits to \(verb) \(location) until \(until)."
        }
    }
}
