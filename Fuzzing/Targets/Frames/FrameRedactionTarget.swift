import DocumentWire

/// ``FrameRedaction``: a redacted frame keeps its length, holds nothing that was learned, and is redacted as it is.
///
/// The input: flags (1: to the host, 2: a secret is known), the known secret's length, the secret, the frame's body.
enum FrameRedactionTarget: FuzzTarget {
    static let name = "frame-redaction"

    static func run(_ input: [UInt8]) throws(FuzzFinding) {
        var input = FuzzInput(input)
        let flags = input.byte()
        let secret = String(decoding: input.bytes(Int(input.byte() & 31)), as: UTF8.self)
        let direction: FrameRedaction.Direction = flags & 1 == 0 ? .toProvider : .toHost
        var redaction = FrameRedaction(secrets: flags & 2 == 0 ? [] : [secret])
        let original = Array(input.rest)

        var body = original
        redaction.redact(frame: &body, direction)
        try require(body.count == original.count, "\(original.count) bytes became \(body.count).")
        for (old, new) in zip(original, body) where old != new {
            try require(new == 0x2A || new == 0 || new == 0x80, "The byte \(old) became \(new).")
        }
        // With asterisks in it, what was blanked out may look like a part of a secret again.
        guard !original.contains(0x2A), !secret.utf8.contains(0x2A) else { return }
        if flags & 2 != 0, !secret.isEmpty {
            try require(!body.contains(Array(secret.utf8)), "The secret is still in it.")
        }
        var again = body
        redaction.redact(bytes: &again)
        try require(again == body, "Something that was learned is still in it.")
    }
}
