/// How long an asker waits for the final frame of a request. When it has run out, the request is cancelled, and fails
/// with `deadlineExceeded` once it has ended or the cancel grace is over.
package enum Deadline: Hashable, Sendable {
    case none
    /// In all.
    case total(Duration)
    /// Since the last progress or heartbeat.
    case stall(Duration)
}

extension Duration {
    /// In milliseconds, as a field of 32 bits holds them: rounded up, and cut off at both ends.
    var wholeMilliseconds: UInt32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 4_294_967 else { return .max }
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt32(seconds * 1000 + rest)
    }
}
