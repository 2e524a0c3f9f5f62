internal import Synchronization

/// Documents that somebody has written to just when their contents had come and that could not be written down: they are to
/// be sent, and somebody is to be told.
package final class KeptEdits: Sendable {
    private let listener = Mutex<Hook<IndexedItem>?>(nil)

    /// - Parameter body: called on the thread of whoever has found that; it must not block.
    package func onKept(_ body: @escaping @Sendable (IndexedItem) -> Void) {
        listener.withLock { $0 = Hook(body) }
    }

    func kept(_ item: IndexedItem) { listener.withLock { $0 }?(item) }
}
