/// Where a peer's stream stopped making sense, and what was found there.
package struct FrameViolation: Error, Hashable, Sendable {
    /// What is wrong, as a sentence.
    package var message: String
    /// How many bytes came before the bad ones.
    package var offset: UInt64
    /// The first bad bytes, at most 256 of them.
    package var bytes: [UInt8]

    package var hex: String { "" }
    /// The bytes as text: what cannot be printed is escaped.
    package var text: String { "" }
}
