/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// In bytes; never falls within one transfer.
    public var done: UInt64
    /// In bytes; nil while not known. May change.
    public var expected: UInt64?
    /// How much of it was there when the transfer began, in bytes, as of one that was interrupted: it has not come now, and is no
    /// speed. Told within the host alone.
    package var before: UInt64 = 0

    public init(done: UInt64, expected: UInt64? = nil) {
        self.done = done
        self.expected = expected
    }
}
