import DocumentTransport
import DocumentWire

/// What one side of a connection has written, whoever it talked to.
enum OutgoingStream {
    /// It is whole frames but for the last one, no request gets two final ones, and ids of its own grow.
    static func check(_ bytes: [UInt8], expectsPreface: Bool) throws(FuzzFinding) {
        var reader = FrameDecoder(limit: Frame.maximumBodyLength, expectsPreface: expectsPreface)
        var frames: [Frame?] = []
        var violation: FrameViolation?
        do throws(FrameViolation) {
            try reader.decode(bytes) { body, _ throws(FrameViolation) in
                frames.append(body.withUnsafeBytes { try? Frame(body: $0) })
            }
        } catch {
            violation = error
        }
        try require(violation == nil, "What went out is no stream of frames: \(violation as Any)")
        var finished: Set<UInt64> = []
        var newest: UInt64 = 0
        for frame in frames {
            guard let frame else { throw FuzzFinding("What went out is no frame.") }
            switch frame.kind {
            case .answer, .failure:
                try require(finished.insert(frame.id).inserted, "The request \(frame.id) got two final frames.")
            case .request:
                try require(frame.id > newest, "The id \(frame.id) came after \(newest).")
                newest = frame.id
            default: break
            }
        }
    }
}
