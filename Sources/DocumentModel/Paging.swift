/// Where a listing goes on. Opaque; at most 500 bytes (PROV-21).
public struct PageToken: Hashable, Sendable {
    public static let maximumLength = 500

    public let bytes: [UInt8]

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty or longer than ``maximumLength``.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        guard (1...Self.maximumLength).contains(bytes.count) else {
            throw DocumentError(
                .invalidArgument,
                "A page token must have 1 to \(Self.maximumLength) bytes; this one has \(bytes.count)."
            )
        }
        self.bytes = bytes
    }
}

/// One page of a folder's items.
public struct ItemPage: Hashable, Sendable {
    public var items: [Item]
    /// Nil at the last page.
    public var next: PageToken?

    public init(items: [Item], next: PageToken? = nil) {
        self.items = items
        self.next = next
    }
}

/// A point in a provider's feed of changes. Opaque; at most 500 bytes (PROV-21).
public struct SyncAnchor: Hashable, Sendable {
    public static let maximumLength = 500

    public let bytes: [UInt8]

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty or longer than ``maximumLength``.
    public init(_ bytes: [UInt8]) throws(DocumentError) {
        guard (1...Self.maximumLength).contains(bytes.count) else {
            throw DocumentError(
                .invalidArgument,
                "An anchor must have 1 to \(Self.maximumLength) bytes; this one has \(bytes.count)."
            )
        }
        self.bytes = bytes
    }
}

/// One page of the feed of changes.
public struct ItemChanges: Hashable, Sendable {
    /// New, changed, renamed and moved items.
    public var updated: [Item]
    /// Items that are gone, on positive evidence.
    public var deleted: [ItemIdentifier]
    /// The point that this page leads to; never newer than what the page tells.
    public var anchor: SyncAnchor
    /// More changes are there already.
    public var more: Bool

    public init(updated: [Item], deleted: [ItemIdentifier], anchor: SyncAnchor, more: Bool = false) {
        self.updated = updated
        self.deleted = deleted
        self.anchor = anchor
        self.more = more
    }
}
