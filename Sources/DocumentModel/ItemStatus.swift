/// What the host knows of an item, beyond what its provider tells.
public struct ItemStatus: Hashable, Sendable {
    public var item: Item
    public var location: Location
    public var state: ItemState
    /// The path in the document storage root where the contents are or would be; empty when the item cannot be shown
    /// there (``ItemState/nameClash``).
    public var path: String
    /// What is wrong with it; nil when nothing is.
    public var problem: DocumentError?
    /// A transfer under way.
    public var progress: TransferProgress?
    /// For a conflict: where the version of the other side is kept.
    public var conflictPath: String?
    /// What is on its way, or waits, in each direction.
    public var transfers: ItemTransfers
    /// What people have said about it: kept here, excluded, paused.
    public var marks: ItemMarks

    public init(
        item: Item,
        location: Location,
        state: ItemState,
        path: String,
        problem: DocumentError? = nil,
        progress: TransferProgress? = nil,
        conflictPath: String? = nil,
        transfers: ItemTransfers = ItemTransfers(),
        marks: ItemMarks = ItemMarks()
    ) {
        self.item = item
        self.location = location
        self.state = state
        self.path = path
        self.problem = problem
        self.progress = progress
        self.conflictPath = conflictPath
        self.transfers = transfers
        self.marks = marks
    }
}

/// One page of a folder's items, with what the host knows of each.
public struct ItemStatusPage: Hashable, Sendable {
    public var items: [ItemStatus]
    /// Nil at the last page.
    public var next: PageToken?

    public init(items: [ItemStatus], next: PageToken? = nil) {
        self.items = items
        self.next = next
    }
}
