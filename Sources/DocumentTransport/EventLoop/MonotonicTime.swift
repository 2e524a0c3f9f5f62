import CDocentShims
import Glibc

/// A point on the clock that never stands still nor goes back while the machine runs. Pure machines are handed one;
/// only the event loop reads the clock.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Later than all others.
    package static let never = MonotonicTime(nanoseconds: .max)

    package static func now() -> MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    package static func < (one: Self, other: Self) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    static func + (time: Self, nanoseconds: UInt64) -> Self {
        let (sum, isTooLate) = time.nanoseconds.addingReportingOverflow(nanoseconds)
        return MonotonicTime(nanoseconds: isTooLate ? .max : sum)
    }

    /// Stops at the ends of the scale: a deadline in ten thousand years is none.
    package static func + (time: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return time }
        let (whole, tooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, tooLate) = time.nanoseconds.addingReportingOverflow(whole)
        guard !tooLong, !tooLate else { return MonotonicTime(nanoseconds: .max) }
        let (end, tooFar) = sum.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return MonotonicTime(nanoseconds: tooFar ? .max : end)
    }

    /// The time from an earlier point; zero when the other one is later.
    package func since(_ earlier: Self) -> Duration {
        .nanoseconds(nanoseconds > earlier.nanoseconds ? Int64(clamping: nanoseconds - earlier.nanoseconds) : 0)
    }
}
