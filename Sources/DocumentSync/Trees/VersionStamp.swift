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
