package import DocumentModel

/// Which documents leave when more is here than may be: those that were used longest ago, and no more than needed, in a
/// batch, so that it need not be done again at once. Without I/O.
package struct EvictionPlan: Hashable, Sendable {
    package struct Candidate: Hashable, Sendable {
        package var bytes: UInt64
        package var state: ItemState
        package var keeping: Keeping
        /// Somebody has it open, or waits for it.
        package var isClaimed: Bool

        package init(bytes: UInt64, state: ItemState, keeping: Keeping = .automatic, isClaimed: Bool = false) {
            self.bytes = bytes
            self.state = state
            self.keeping = keeping
            self.isClaimed = isClaimed
        }
    }

    /// How many bytes are to go still.
    package private(set) var left: UInt64

    /// Nil when nothing has to leave.
    package init?(_ limits: SpaceLimits?, here bytes: UInt64) {
        guard let limits, bytes > limits.high else { return nil }
        left = bytes - limits.low
    }

    package var isDone: Bool { left == 0 }

    /// Whether a document is to leave now. Never one that is changed, claimed, pinned or excluded (XFER-10, XFER-12).
    package func takes(_ candidate: Candidate) -> Bool {
        guard !isDone, candidate.bytes > 0, !candidate.isClaimed else { return false }
        guard candidate.state == .materialised || candidate.state == .outdated else { return false }
        return candidate.keeping.letsContentsLeave
    }

    package mutating func evicted(_ bytes: UInt64) { left -= min(left, bytes) }
}
