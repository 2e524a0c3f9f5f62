import DocumentModel
import FileCoordination
import Synchronization

/// Accesses that wait for something before they can ask for their claims, and picker sessions that wait for a provider, so
/// that they say so, too (COORD-39).
final class PendingAccesses: Sendable {
    enum Phase {
        /// The provider is asked what has changed.
        case news
        /// The item's place is looked up, if need be at the provider.
        case place
        /// The document here is outdated.
        case newerContents
        /// It is paused, or something of it, and it is claimed when that is resumed.
        case resumption
    }

    enum PickerPhase {
        /// The provider is told of the session.
        case preparing
        /// It is asked whether it accepts the choice.
        case validating
    }

    private enum Wait {
        case access(Phase, AccessRequest.Intention)
        case picker(PickerPhase, DomainName)
    }

    private struct Entry {
        let wait: Wait
        let owner: ClaimOwner
    }

    private let state = Mutex((last: UInt64(0), entries: [UInt64: Entry]()))

    /// Does what is waited for.
    func during<Value>(
        _ phase: Phase, _ intention: AccessRequest.Intention, by owner: ClaimOwner,
        _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        try await during(.access(phase, intention), by: owner, body)
    }

    /// Does what a picker session waits for.
    func during<Value>(
        _ phase: PickerPhase, of picker: OpenPicker, in domain: DomainName,
        _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        try await during(.picker(phase, domain), by: picker.owner, body)
    }

    private func during<Value>(
        _ wait: Wait, by owner: ClaimOwner, _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        let number = state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(wait: wait, owner: owner)
            return state.last
        }
        defer { state.withLock { _ = $0.entries.removeValue(forKey: number) } }
        return try await body()
    }

    /// What is waited for, the oldest first.
    var explanations: [String] {
        let entries = state.withLock { $0.entries }
        return entries.sorted { $0.key < $1.key }.map { _, entry in
            switch entry.wait {
            case .access(let phase, let intention): Self.explain(entry.owner, phase, intention)
            case .picker(.preparing, let domain):
                "\(entry.owner) waits to choose in \(domain) until its provider is ready for that."
            case .picker(.validating, let domain):
                "\(entry.owner) waits with a choice in \(domain) until its provider has accepted it."
            }
        }
    }

    private static func explain(
        _ owner: ClaimOwner, _ phase: Phase, _ intention: AccessRequest.Intention
    ) -> String {
        let location = intention.location
        let until =
            switch phase {
            case .news: "the provider of \(location.domain) has said what is new"
            case .place: "it is found"
            case .newerContents: "the provider has brought its newer contents"
            case .resumption: "it is resumed, as its contents are to come and it is paused"
            }
        let verb = intention.intent == .reading ? "read" : "write"
        return "\(owner) waits to \(verb) \(location) until \(until)."
    }
}
