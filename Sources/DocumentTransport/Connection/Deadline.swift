/// How long an asker waits for the final frame of a request. When it has run out, the request is cancelled, and fails
/// with `deadlineExceeded` once it has ended or the cancel grace is over.
package enum Deadline: Hashable, Sendable {
    case none
    /// In all.
    case total(Duration)
    /// Since the last progress or heartbeat.
    case stall(Duration)
}
