/// A frame, or a preface, that has begun and is not whole.
package struct UnfinishedFrame: Hashable, Sendable {
    /// How far it came: `a frame, after 3 of its 100 bytes`.
    package var place: String
    /// Where it begins in the stream.
    package var offset: UInt64
    /// What has come of it, from its first byte on, as much as is kept.
    package var bytes: [UInt8]

    /// It as evidence of something that is wrong.
    func violation(_ message: String) -> FrameViolation {
        FrameViolation(message, offset: offset, bytes: bytes)
    }
}
