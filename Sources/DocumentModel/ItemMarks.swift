/// What becomes of an item's contents by itself (PH-9, XFER-14).
public enum Keeping: String, Sendable, CaseIterable {
    /// They come when somebody wants them, and may leave when room is needed.
    case automatic
    /// They are brought, kept current, and never leave.
    case pinned
    /// As `automatic`, also in a folder that is pinned, and the first to leave.
    case onlineOnly
    /// Nothing of it is sent and nothing brought unasked, and what is here never leaves.
    case excluded
}

/// What people have said about an item.
public struct ItemMarks: Hashable, Sendable {
    /// What was said about the item itself; nil: as the folder around it.
    public var own: Keeping?
    /// What holds for it: its own, else that of the nearest folder around it that has one.
    public var keeping: Keeping
    /// Whether the item itself was paused.
    public var isPausedItself: Bool
    /// Whether its transfers are paused: it, a folder around it, or the domain was.
    public var isPaused: Bool
    /// The ignore rule that keeps it here (CONT-13): it is ``Keeping/excluded`` as long as that holds. Nil when none does.
    public var ignoredBy: IgnorePattern?

    public init(
        own: Keeping? = nil, keeping: Keeping = .automatic, isPausedItself: Bool = false, isPaused: Bool = false,
        ignoredBy: IgnorePattern? = nil
    ) {
        self.own = own
        self.keeping = keeping
        self.isPausedItself = isPausedItself
        self.isPaused = isPaused
        self.ignoredBy = ignoredBy
    }
}
