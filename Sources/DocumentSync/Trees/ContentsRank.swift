package import DocumentModel

/// Which of several contents of a document win: the same on every machine, whichever of them it has as its own (VER-12).
///
/// Causality comes first: contents that began from others have the later time, however wrong the clocks are
/// (``DocumentModel/Timestamp/following(_:)``). Of contents that know nothing of each other, the later ones win, which with
/// right clocks are those modified last (VER-3); then the machine's number, where it is known; and at last the contents
/// themselves.
package struct ContentsRank: Hashable, Comparable, Sendable {
    package var stamp: VersionStamp
    /// A digest; empty as long as the stamps differ.
    package var digest: [UInt8]

    package init(stamp: VersionStamp, digest: [UInt8] = []) {
        self.stamp = stamp
        self.digest = digest
    }

    package static func < (one: Self, other: Self) -> Bool {
        one.stamp == other.stamp ? one.digest.lexicographicallyPrecedes(other.digest) : one.stamp < other.stamp
    }
}

extension Timestamp {
    /// When contents count as written that were written at this time by the machine's clock, and began from others: never
    /// before those (VER-12). It goes with them to the provider, so that every machine sees the same.
    ///
    /// - Parameter base: when the others count as written; nil for contents that began from nothing.
    package func following(_ base: Timestamp?) -> Timestamp {
        // Stamps count in microseconds.
        guard let base, (seconds, nanoseconds / 1000) <= (base.seconds, base.nanoseconds / 1000) else { return self }
        if base.nanoseconds < 999_999_000 {
            return Timestamp(seconds: base.seconds, nanoseconds: base.nanoseconds + 1000)
        }
        guard base.seconds < .max else { return base }
        return Timestamp(seconds: base.seconds + 1, nanoseconds: base.nanoseconds - 999_999_000)
    }
}
