/// When contents were written, by a hybrid logical clock, and on which machine (VER-12).
///
/// Contents that were written with knowledge of others have the later stamp, however wrong the machines' clocks are.
package struct VersionStamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970, or more than that where the clock had to follow another machine's.
    package var time: Int64
    package var device: UInt64

    package init(time: Int64, device: UInt64) {
        self.time = time
        self.device = device
    }

    package static let zero = VersionStamp(time: 0, device: 0)

    package static func < (one: Self, other: Self) -> Bool {
        (one.time, one.device) < (other.time, other.device)
    }
}

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
