/// What a removal would take along, as things are known now (CONT-13).
public struct RemovalPreview: Hashable, Sendable {
    public var location: Location
    /// Documents and folders that would go, the item itself among them.
    public var documents: UInt64
    public var folders: UInt64
    /// In bytes, as far as sizes are known.
    public var bytes: UInt64
    /// How many of the documents have contents here.
    public var here: UInt64
    /// How many of them have changes that were not sent.
    public var unsent: UInt64
    /// Whether all that is in it is known: else more may go, as folders are listed before they are removed.
    public var isComplete: Bool
    /// So much needs a yes first.
    public var needsApproval: Bool
    /// What would keep it from being removed; nil when nothing would, as far as is known here.
    public var refusal: DocumentError?

    public init(
        location: Location, documents: UInt64 = 0, folders: UInt64 = 0, bytes: UInt64 = 0, here: UInt64 = 0,
        unsent: UInt64 = 0, isComplete: Bool = true, needsApproval: Bool = false, refusal: DocumentError? = nil
    ) {
        self.location = location
        self.documents = documents
        self.folders = folders
        self.bytes = bytes
        self.here = here
        self.unsent = unsent
        self.isComplete = isComplete
        self.needsApproval = needsApproval
        self.refusal = refusal
    }
}
