package import DocumentSync

/// A clock that never runs backwards and is never behind what it has seen of others (VER-12, KV-9).
package struct HybridClock: Hashable, Sendable {
    package let device: UInt64
    package private(set) var last: Int64

    /// - Parameter last: where the clock was before the process ended.
    package init(device: UInt64, last: Int64 = 0) {
        self.device = device
        self.last = last
    }

    /// - Parameter wall: the machine's own time in microseconds, right or wrong.
    package mutating func stamp(wall: Int64) -> VersionStamp {
        last = max(last + 1, wall)
        return VersionStamp(time: last, device: device)
    }

    package mutating func follow(_ stamp: VersionStamp) {
        last = max(last, stamp.time)
    }
}
