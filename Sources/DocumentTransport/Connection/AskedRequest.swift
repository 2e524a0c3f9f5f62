package import DocumentModel
package import DocumentWire

/// How a request has ended. The error is kept apart, so that the good end stays small.
package enum RequestOutcome: Sendable {
    case answer([UInt8])
    indirect case failure(DocumentError)
}

/// A request of ours. One object for all that belongs to it, so that a request costs one allocation and one look-up.
package final class AskedRequest: @unchecked Sendable {  // Only touched with the connection's lock held.
    enum Stage: Sendable {
        /// For a place, with its body.
        case waiting([UInt8])
        case sent
        /// A cancel was sent; the error is what the asker gets if the peer only says "cancelled", or nothing.
        indirect case cancelled(DocumentError)
    }

    /// 0 until it was given one.
    package var id: UInt64 = 0
    var stage = Stage.waiting([])
    var deadline = Deadline.none
    /// When the deadline or the cancel grace runs out.
    var alarm = MonotonicTime.never
    var bytesDone: UInt64 = 0
    var askedAt = MonotonicTime.never
    /// The field of the call in its body; 0 while that was not looked up.
    var call: UInt32 = 0
    let label: RequestLabel?
    let priority: RequestPriority
    /// A figure that changes for as long as the request gets somewhere without saying so: the size of the file that is
    /// filled. Asked when it seems to have stalled; must not block.
    let bytesElsewhere: (@Sendable () -> UInt64)?
    /// Whether a descriptor comes with a good answer.
    let takesDescriptor: Bool
    /// What came with it.
    var passed: PassedDescriptor?
    private var lastElsewhere: UInt64 = 0

    /// The asker's task was cancelled.
    var isGivenUp = false
    var continuation: UnsafeContinuation<RequestOutcome, Never>?
    let onProgress: (@Sendable (TransferProgress?) -> Void)?

    package init(
        label: RequestLabel? = nil, priority: RequestPriority = .ordinary,
        bytesElsewhere: (@Sendable () -> UInt64)? = nil, takesDescriptor: Bool = false,
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) {
        self.takesDescriptor = takesDescriptor
        self.label = label
        self.priority = priority
        self.bytesElsewhere = bytesElsewhere
        self.onProgress = onProgress
    }

    var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    /// Whether there are other bytes than the last time.
    func movesElsewhere() -> Bool {
        guard let bytes = bytesElsewhere?(), bytes != lastElsewhere else { return false }
        lastElsewhere = bytes
        return true
    }
}
