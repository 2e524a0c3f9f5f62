/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// In bytes; never falls within one transfer.
    public var done: UInt64
    /// In bytes; nil while not known. May change.
    public var expected: UInt64?

    public init(done: UInt64, expected: UInt64? = nil) {
        self.done = done
        self.expected = expected
    }
}
