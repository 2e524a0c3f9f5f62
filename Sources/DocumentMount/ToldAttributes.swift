import Synchronization

/// What the kernel was told last of documents, and keeps: what it would be told again is no news.
///
/// Only of answers to questions for attributes. Whatever else it may have learned takes that away.
package final class ToldAttributes: Sendable {
    private let told = Mutex<[UInt64: NodeAttributes]>([:])

    package init() {}

    /// The kernel gets an answer.
    ///
    /// - Parameter lifetime: how long it may keep it, in seconds.
    package func tell(_ node: UInt64, _ attributes: NodeAttributes, lifetime: Double) {
        told.withLock { $0[node] = lifetime > 0 ? attributes : nil }
    }

    /// The kernel has let go of it, is about to, or knows something else.
    package func forget(_ node: UInt64) { told.withLock { _ = $0.removeValue(forKey: node) } }

    /// The same for all.
    package func forgetEverything() { told.withLock { $0 = [:] } }

    /// Whether the kernel knows just that. The item's number is not compared: a node keeps the one it has.
    package func knows(_ attributes: NodeAttributes, of node: UInt64) -> Bool {
        guard var known = told.withLock({ $0[node] }) else { return false }
        known.number = attributes.number
        return known == attributes
    }
}
