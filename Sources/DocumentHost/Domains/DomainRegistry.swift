import DocumentModel
import Synchronization

/// The domains that are configured and usable, by name.
final class DomainRegistry: Sendable {
    private struct State {
        var domains: [DomainName: Domain] = [:]
        /// Configured ones that cannot be used, with the reason.
        var broken: [DomainName: DocumentError] = [:]
        /// Of those, the settings that are known to be no secrets.
        var settings: [DomainName: [String: String]] = [:]
        /// What providers say of their domains, also while a domain is being added.
        var notes: [DomainName: DomainNote] = [:]
    }

    private let state = Mutex(State())

    func add(_ domain: Domain) {
        state.withLock { state in
            state.domains[domain.name] = domain
            state.broken[domain.name] = nil
            state.settings[domain.name] = nil
        }
    }

    /// - Parameter settings: what may be shown of its settings; empty where it is not known which of them are secret.
    func addBroken(_ name: DomainName, because error: DocumentError, settings: [String: String] = [:]) {
        state.withLock { state in
            state.broken[name] = error
            state.settings[name] = settings
        }
    }

    func remove(_ name: DomainName) {
        state.withLock { state in
            state.domains[name] = nil
            state.broken[name] = nil
            state.settings[name] = nil
            state.notes[name] = nil
        }
    }

    /// Lets go of all, and of who is called by their providers, when the host has ended.
    func removeAll() { state.withLock { $0 = State() } }

    /// Keeps what a provider says of its domain.
    ///
    /// - Returns: whether that is something new.
    func note(_ note: DomainNote, of name: DomainName) -> Bool {
        let note = note.text.isEmpty ? nil : note
        return state.withLock { state in
            guard state.notes[name] != note else { return false }
            state.notes[name] = note
            return true
        }
    }

    func note(of name: DomainName) -> DomainNote? { state.withLock { $0.notes[name] } }

    /// - Throws: `notConfigured` when there is none, or what is wrong with it.
    func domain(_ name: DomainName) throws(DocumentError) -> Domain {
        let (domain, problem, others) = state.withLock { state in
            (state.domains[name], state.broken[name], state.domains.keys.sorted())
        }
        if let domain { return domain }
        if let problem { throw problem }
        let known = others.map(\.rawValue).joined(separator: ", ")
        throw DocumentError(
            .notConfigured,
            "There is no domain “\(name)”. "
                + (others.isEmpty
                    ? "Add one with: docent domain add \(name) --provider ID" : "The domains are: \(known)."))
    }

    func find(_ name: DomainName) -> Domain? { state.withLock { $0.domains[name] } }

    func problem(of name: DomainName) -> DocumentError? { state.withLock { $0.broken[name] } }

    func settings(ofBroken name: DomainName) -> [String: String] { state.withLock { $0.settings[name] ?? [:] } }

    var all: [Domain] { state.withLock { state in state.domains.values.sorted { $0.name < $1.name } } }
}
