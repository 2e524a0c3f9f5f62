import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// What was looked up last, for as long as nothing was written of it since: to open the same documents again and again costs no
/// look into the index.
final class KnownItems: Sendable {
    private struct State {
        /// The index's, when these were read.
        var generation: UInt64 = 0
        var byKey: [ItemKey: KnownItem] = [:]
        var keys: [Location: ItemKey] = [:]

        /// Forgets what is not right any more.
        ///
        /// - Returns: the index's generation.
        mutating func follow(_ index: ItemIndex) -> UInt64 {
            let now = index.generation
            guard now != generation else { return now }
            if let touched = index.documents(touchedSince: generation, until: now) {
                for document in touched { byKey[ItemKey(document)] = nil }
            } else {
                self = State()
            }
            generation = now
            return now
        }
    }

    /// Some hundred bytes each.
    private static let most = 1_024

    private let storage: StorageThreads
    private let state = Mutex(State())

    init(storage: StorageThreads) {
        self.storage = storage
    }

    /// The item that the index has at a location; nil when it has none there.
    func item(at location: Location) throws(DocumentError) -> KnownItem? {
        try find({ state in state.keys[location].flatMap { state.byKey[$0] } }, { try $0.item(at: location) })
    }

    /// Nil for an item that the index does not know.
    func item(_ key: ItemKey) throws(DocumentError) -> KnownItem? {
        try find({ $0.byKey[key] }, { try $0.item(key.id, in: key.domain) })
    }

    private func find(
        _ remembered: (State) -> KnownItem?, _ look: (IndexReader) throws -> IndexedItem?
    ) throws(DocumentError) -> KnownItem? {
        // Before the look: what is written meanwhile makes it old.
        let root = storage.store.root
        let (generation, known) = state.withLock { state in
            let generation = state.follow(root.index)
            return (generation, remembered(state))
        }
        if let known { return known }
        let found = try storage.read { index in
            try look(index).map { try KnownItem($0, index, in: root) }
        }
        if let found { keep(found, as: generation) }
        return found
    }

    /// Remembers what was looked up elsewhere.
    ///
    /// - Parameter generation: the index's at which it stands.
    func keep(_ known: KnownItem, as generation: UInt64) {
        let index = storage.store.root.index
        state.withLock { state in
            let now = state.follow(index)
            guard let touched = index.documents(touchedSince: generation, until: now),
                !touched.contains(where: { ItemKey($0) == known.key })
            else { return }
            if max(state.byKey.count, state.keys.count) >= Self.most { state = State(generation: now) }
            state.byKey[known.key] = known
            // Of names that clash, only one is found at the place that all of them have.
            if known.item.state != .nameClash { state.keys[known.status.location] = known.key }
        }
    }
}

extension ItemKey {
    fileprivate init(_ document: TouchedDocument) { self.init(domain: document.domain, id: document.id) }
}
