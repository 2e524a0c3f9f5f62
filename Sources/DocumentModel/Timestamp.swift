/// A point in time, to the nanosecond, since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let seconds: Int64
    /// 0 to 999,999,999.
    public let nanoseconds: UInt32

    public init(seconds: Int64, nanoseconds: UInt32 = 0) {
        self.seconds = seconds
        self.nanoseconds = min(nanoseconds, 999_999_999)
    }

    public static let zero = Timestamp(seconds: 0)

    public static func < (one: Self, other: Self) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}
