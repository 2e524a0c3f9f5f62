internal import DocumentModel
internal import Synchronization

/// A domain's numbers in the index.
struct DomainReference {
    var name: DomainName
    var number: Int64
    /// The row of the top folder.
    var root: Int64
    var rootID: ItemIdentifier
}

/// What all views of the index know of the domains' numbers: every question begins with them, and they hardly ever change.
final class DomainReferences: Sendable {
    private struct State {
        var known: [DomainName: DomainReference] = [:]
        /// Another one from the beginning of a change on, and once more from its end: views from before, and from meanwhile, are
        /// told from those that see it.
        var version: UInt64 = 0
        /// Whether somebody has changed a domain, and has not committed yet.
        var isChanging = false

        func isValid(_ version: UInt64) -> Bool { !isChanging && self.version == version }
    }

    private let state = Mutex(State())

    /// What one view may take from here and put here. Of a reader: taken before it begins to read, so that what it sees is not
    /// older than that.
    struct View {
        fileprivate let references: DomainReferences
        fileprivate let version: UInt64

        /// Nil also when a domain was changed since the view was taken: it may see the domains as they were. A reader that has not
        /// asked for anything else may still find a domain empty that goes in this moment.
        func reference(to domain: DomainName) -> DomainReference? {
            references.state.withLock { $0.isValid(version) ? $0.known[domain] : nil }
        }

        func keep(_ reference: DomainReference) {
            references.state.withLock { if $0.isValid(version) { $0.known[reference.name] = reference } }
        }

        /// The transaction changes a domain: until it has ended, and for all views from before, nothing is known.
        func change() {
            references.state.withLock { state in
                state.isChanging = true
                state.version += 1
                state.known = [:]
            }
        }
    }

    var view: View { View(references: self, version: state.withLock { $0.version }) }

    /// The transaction has ended, whichever way.
    func changesEnded() {
        state.withLock { state in
            guard state.isChanging else { return }
            state.isChanging = false
            state.version += 1
        }
    }
}
