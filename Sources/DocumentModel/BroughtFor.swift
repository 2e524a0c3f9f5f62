/// For whom contents were brought to this machine, because a document was opened.
public struct BroughtFor: Hashable, Sendable {
    /// A host tool; or a program, and the tool that asked for it.
    public var who: String
    public var documents: UInt64
    public var bytes: UInt64
    /// Where the last one was.
    public var last: Location

    /// What a host counts, or a test makes up.
    public init(who: String, documents: UInt64, bytes: UInt64, last: Location) {
        self.who = who
        self.documents = documents
        self.bytes = bytes
        self.last = last
    }
}
