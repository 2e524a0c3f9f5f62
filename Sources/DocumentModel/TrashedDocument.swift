/// Contents of a document that were on this machine when it was removed, here or on the remote (CONT-13).
public struct TrashedDocument: Hashable, Sendable {
    /// What it is named by for as long as it is kept.
    public var id: String
    /// Where the document was.
    public var location: Location
    /// In bytes.
    public var size: UInt64
    /// When the contents were last written.
    public var modified: Timestamp
    /// When it was removed from this machine, in seconds since 1970.
    public var removed: Int64

    public init(id: String, location: Location, size: UInt64, modified: Timestamp, removed: Int64) {
        self.id = id
        self.location = location
        self.size = size
        self.modified = modified
        self.removed = removed
    }
}

/// One page of what is in the trash, the newest first.
public struct TrashPage: Hashable, Sendable {
    public var documents: [TrashedDocument]
    /// What the next page begins behind; nil at the last one.
    public var next: UInt64?

    public init(documents: [TrashedDocument], next: UInt64? = nil) {
        self.documents = documents
        self.next = next
    }
}

/// How much is kept in the trash, and for how long. What is older goes, and the oldest when it is too much.
public struct TrashLimits: Hashable, Sendable {
    /// 10 GB, for 30 days.
    public static let usual = TrashLimits(bytes: 10_000_000_000, days: 30)
    /// The longest that can be said.
    public static let mostDays: UInt32 = 36_500

    /// 0: nothing is kept.
    public var bytes: UInt64
    /// From 0, which keeps nothing, to ``mostDays``.
    public var days: UInt32

    public init(bytes: UInt64, days: UInt32) {
        self.bytes = bytes
        self.days = min(days, Self.mostDays)
    }

    /// Whether anything is kept at all.
    public var keepsAnything: Bool { bytes > 0 && days > 0 }
}

/// What is in the trash, all in all.
public struct TrashStatus: Hashable, Sendable {
    public var limits: TrashLimits
    public var documents: UInt64
    public var bytes: UInt64

    public init(limits: TrashLimits, documents: UInt64, bytes: UInt64) {
        self.limits = limits
        self.documents = documents
        self.bytes = bytes
    }
}

/// Which of what is in the trash is meant.
public enum TrashChoice: Hashable, Sendable {
    /// All of it.
    case all
    /// What was at a location or below it.
    case below(Location)
    /// One, by its identifier.
    case one(String)
}
