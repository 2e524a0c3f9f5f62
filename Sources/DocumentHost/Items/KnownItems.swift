import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// What was looked up last, for as long as nothing was written since: to open the same documents again and again costs no
/// look into the index.
final class KnownItems: Sendable {
    private struct State {
        /// The index's, when these were read.
        var generation: UInt64 = 0
        var byKey: [ItemKey: KnownItem] = [:]
        var keys: [Location: ItemKey] = [:]
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
        let generation = root.index.generation
        if let known = state.withLock({ $0.generation == generation ? remembered($0) : nil }) { return known }
        let known = try storage.read { index in
            try look(index).map { try KnownItem($0, index, in: root) }
        }
        if let known { keep(known, as: generation) }
        return known
    }

    private func keep(_ known: KnownItem, as generation: UInt64) {
        state.withLock { state in
            guard generation >= state.generation else { return }
            if generation > state.generation || state.byKey.count >= Self.most {
                state = State(generation: generation)
            }
            state.byKey[known.key] = known
            // Of names that clash, only one is found at the place that all of them have.
            if known.item.state != .nameClash { state.keys[known.status.location] = known.key }
        }
    }
}
