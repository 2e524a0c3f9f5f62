package import DocumentWire

/// One thing that was seen on the way between a host and a provider. Secrets are blanked out in it.
package struct TrafficEntry: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// The eight bytes before a provider's first frame.
        case preface
        /// The body of a whole frame, whether or not it is a message of the protocol.
        case frame([UInt8])
        /// Bytes that are no frame, from the first bad one on.
        case bytes([UInt8])
        /// Nothing comes any more.
        case end
    }

    /// Since the recording began.
    package var time: Duration
    package var direction: FrameRedaction.Direction
    package var content: Content

    package init(time: Duration, direction: FrameRedaction.Direction, content: Content) {
        self.time = time
        self.direction = direction
        self.content = content
    }

    /// The frame in it, if it is one of the protocol.
    package var frame: Frame? {
        guard case .frame(let body) = content else { return nil }
        return body.withUnsafeBytes { try? Frame(body: $0) }
    }
}
