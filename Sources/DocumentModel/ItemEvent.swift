/// Something that happened to items or domains.
public enum ItemEvent: Hashable, Sendable {
    /// It was not known before.
    case appeared(ItemStatus)
    /// Its state, its contents, its metadata or its transfer. Several changes may be told as one.
    case changed(ItemStatus)
    /// It lies elsewhere now, or has another name.
    case moved(ItemStatus, from: Location)
    /// It is not known any more; it lay there.
    case removed(Location)
    /// A domain was added, or its provider is in another state.
    case domain(DomainDescription)
    case domainRemoved(DomainName)
    /// More may have happened than is told: it was more than is kept until somebody asks, or the host was started anew. Look at
    /// everything anew.
    case lost
}

/// When documents that nobody has used for long leave, to make room (XFER-14). In bytes.
public struct SpaceLimits: Hashable, Sendable {
    /// More than this is not kept here, as far as it may leave.
    public var high: UInt64
    /// Once something leaves, so much does that this stays.
    public var low: UInt64

    /// - Throws: `invalidArgument` when `low` is above `high`.
    public init(high: UInt64, low: UInt64) throws(DocumentError) {
        guard low <= high else {
            throw DocumentError(
                .invalidArgument, "What stays (\(low) bytes) must not be more than the limit (\(high) bytes).")
        }
        self.high = high
        self.low = low
    }
}

/// The room that contents take.
public struct SpaceStatus: Hashable, Sendable {
    /// Nil: nothing leaves by itself.
    public var limits: SpaceLimits?
    /// Of documents whose contents are here.
    public var documents: UInt64
    public var bytes: UInt64

    public init(limits: SpaceLimits? = nil, documents: UInt64 = 0, bytes: UInt64 = 0) {
        self.limits = limits
        self.documents = documents
        self.bytes = bytes
    }
}
