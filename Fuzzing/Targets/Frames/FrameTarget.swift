import DocumentWire

/// ``Frame``, the hellos of both directions among them: what is read by hand reads as SwiftProtobuf reads it, and what
/// was read is written and read again as the same.
enum FrameTarget: FuzzTarget {
    static let name = "frame"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        let frame = input.withUnsafeBytes { try? Frame(body: $0) }
        let general = input.withUnsafeBytes { try? Frame(general: $0) }
        try require(frame == general, "By hand it is \(frame as Any), and in general \(general as Any).")
        guard let frame else { return }

        let body = frame.generalBody()
        let again = body.withUnsafeBytes { try? Frame(body: $0) }
        try require(again == frame, "\(frame) was written, and read as \(again as Any).")
        // What has no kind and no id is empty, and never sent.
        guard !body.isEmpty else { return }
        var written: [UInt8] = []
        frame.append(to: &written)
        try require(
            Array(written.suffix(body.count)) == body && written.count <= body.count + 4,
            "\(frame) is written in two ways.")
    }
}
