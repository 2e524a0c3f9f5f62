package import DocumentWire

/// The last that a connection saw: frames both ways, and what was open when it ended. Bodies are not kept, only which
/// call they carried.
package struct FlightRecord: Sendable {
    /// One frame.
    package struct Entry: Hashable, Sendable {
        package var time: MonotonicTime
        package var id: UInt64
        package var kind: Frame.Kind.Name
        /// Of its body.
        package var bytes: Int
        /// The field of the call or of the answer in it, by which the contract names it; 0 for none.
        package var call: UInt32
    }

    /// A request of ours that was not answered.
    package struct OpenRequest: Hashable, Sendable {
        package enum Stage: String, Hashable, Sendable {
            case waiting, sent, cancelled
        }

        package var id: UInt64
        package var stage: Stage
        package var askedAt: MonotonicTime
        package var call: UInt32
        package var label: String
        package var bytesDone: UInt64
    }

    /// The oldest first.
    package var sent: [Entry]
    package var received: [Entry]
    /// How many there were in all.
    package var sentCount: UInt64
    package var receivedCount: UInt64
    package var open: [OpenRequest]
    /// The peer's own requests that were not answered.
    package var openAtPeer: [UInt64]
    package var endedAt: MonotonicTime
}

extension FlightRecord.OpenRequest {
    init(_ request: AskedRequest) {
        id = request.id
        askedAt = request.askedAt
        call = request.call
        label = request.label?.text ?? ""
        bytesDone = request.bytesDone
        switch request.stage {
        case .waiting(let body):
            stage = .waiting
            call = FrameTrace.call(in: body)
        case .sent: stage = .sent
        case .cancelled: stage = .cancelled
        }
    }
}
