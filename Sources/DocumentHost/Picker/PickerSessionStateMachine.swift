package import DocumentModel

/// The life of one picker session (PICK-7): shown, chosen once, carried out, released. Pure: the host acts on what it
/// says.
package struct PickerSessionStateMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// People look around.
        case browsing
        /// A choice is checked; until it is found good, the session may go on.
        case checking
        /// The choice was good: the session's dismissal. What comes now is the transfer.
        case transferring
        /// Over. Nothing is possible any more.
        case released
    }

    package private(set) var state = State.browsing
    /// The domains whose providers were prepared, in this order.
    package private(set) var prepared: [DomainName] = []

    package init() {}

    /// Somebody looks at something. Also while a choice is checked: it may be refused.
    package func look() throws(DocumentError) {
        guard state == .browsing || state == .checking else { throw over }
    }

    /// - Returns: whether the domain's provider is to be prepared now: once, and before anything else.
    package mutating func needsPreparing(_ domain: DomainName) -> Bool {
        guard state == .browsing || state == .checking, !prepared.contains(domain) else { return false }
        prepared.append(domain)
        return true
    }

    /// The preparation failed: it is tried again at the next look.
    package mutating func wasNotPrepared(_ domain: DomainName) {
        prepared.removeAll { $0 == domain }
    }

    /// Somebody has chosen.
    package mutating func choose() throws(DocumentError) {
        switch state {
        case .browsing: state = .checking
        case .checking:
            throw DocumentError(.busy, "Another choice of this picker session is looked at just now.")
        case .transferring, .released: throw over
        }
    }

    /// The choice breaks a rule: the session stays open.
    package mutating func refuse() {
        if state == .checking { state = .browsing }
    }

    /// The choice is good. From now on it is the only one.
    package mutating func accept() throws(DocumentError) {
        guard state == .checking else { throw over }
        state = .transferring
    }

    /// The tool does not want it any more.
    ///
    /// - Returns: the domains whose providers are to be told that it is over.
    package mutating func cancel() throws(DocumentError) -> [DomainName] {
        switch state {
        case .browsing, .checking: return release()
        case .transferring:
            throw DocumentError(.busy, "What was chosen is being carried out; cancel that request instead.")
        case .released: throw over
        }
    }

    /// Over, whatever it was doing: carried out, or the tool is gone.
    ///
    /// - Returns: the domains whose providers are to be told; none the second time.
    package mutating func release() -> [DomainName] {
        guard state != .released else { return [] }
        state = .released
        defer { prepared = [] }
        return prepared
    }

    private var over: DocumentError {
        DocumentError(.invalidArgument, "The picker session is over; begin another one.")
    }
}
