package import DocumentModel
package import DocumentWire

/// What the initiator said of itself, before the responder answers.
package struct PeerHello: Hashable, Sendable {
    package var versions: [UInt32]
    package var features: [String]
    package var limits: FrameLimits
    package var software: String
    package var processID: Int64
    package var session: String
    package var locale: String
    package var context: [UInt8]
}

/// The other side of an open connection.
package struct Peer: Hashable, Sendable {
    /// The version that both speak.
    package var version: UInt32
    /// The features that both offer.
    package var features: [String]
    /// What it is willing to receive.
    package var limits: FrameLimits
    package var software: String
    /// What came with its hello, or with its answer to ours.
    package var context: [UInt8]
    /// 0 when it did not say.
    package var processID: Int64
    /// Why it cannot do what it is there for, as it says itself.
    package var failure: DocumentError?
}

/// What a side is willing to receive.
package struct FrameLimits: Hashable, Sendable {
    /// The longest frame body.
    package var frameBytes: Int
    /// How many requests of the peer run at once.
    package var requests: Int

    package static let `default` = FrameLimits(frameBytes: 4_194_304, requests: 64)
    package static let smallestFrame = 4_096

    /// Figures outside of what the protocol allows become the nearest allowed ones.
    package init(frameBytes: Int = 4_194_304, requests: Int = 64) {
        self.frameBytes = min(max(frameBytes, Self.smallestFrame), 4_194_304)
        self.requests = min(max(requests, 1), 64)
    }

    /// How many requests may run when one more of this priority comes: half as many again for each step, so that what
    /// waits for the end of something leaves room for that end.
    package func places(for priority: RequestPriority) -> Int {
        requests + Int(priority.rawValue) * max(requests / 2, 1)
    }
}
