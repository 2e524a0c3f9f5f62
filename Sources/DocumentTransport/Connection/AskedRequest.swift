import DocumentModel

/// How a request has ended. The error is kept apart, so that the good end stays small.
enum RequestOutcome: Sendable {
    case answer([UInt8])
    indirect case failure(DocumentError)
}

/// A request of ours. One object for all that belongs to it, so that a request costs one allocation and one look-up.
final class AskedRequest: @unchecked Sendable {  // Only touched with the connection's lock held.
    enum Stage: Sendable {
        /// For a place, with its body.
        case waiting([UInt8])
        case sent
        /// A cancel was sent; the error is what the asker gets if the peer only says "cancelled", or nothing.
        indirect case cancelled(DocumentError)
    }

    /// 0 until it was given one.
    var id: UInt64 = 0
    var stage = Stage.waiting([])
    var deadline = Deadline.none
    /// When the deadline or the cancel grace runs out.
    var alarm = MonotonicTime.never
    var bytesDone: UInt64 = 0

    /// The asker's task was cancelled.
    var isGivenUp = false
    var continuation: UnsafeContinuation<RequestOutcome, Never>?
    let onProgress: (@Sendable (TransferProgress?) -> Void)?

    init(onProgress: (@Sendable (TransferProgress?) -> Void)? = nil) {
        self.onProgress = onProgress
    }

    var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }
}
