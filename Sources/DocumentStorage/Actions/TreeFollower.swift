import Synchronization

/// Who has the tree on disk follow what a provider's answer says of an item's place. The item may be in use meanwhile: whoever
/// can wait for that takes the work over; else it is done here and now.
package final class TreeFollower: Sendable {
    private let body = Mutex<Hook<[JournalEntry]>?>(nil)

    /// - Parameter body: is given open entries of the journal, which ``DocumentStore/perform(_:)`` carries out; must not block.
    ///   Nil: nobody takes it over any more.
    package func handOver(to body: (@Sendable ([JournalEntry]) -> Void)?) {
        self.body.withLock { $0 = body.map { Hook($0) } }
    }

    /// - Returns: whether somebody has taken it over.
    func take(_ work: [JournalEntry]) -> Bool {
        guard let body = body.withLock({ $0 }) else { return false }
        if !work.isEmpty { body(work) }
        return true
    }
}
