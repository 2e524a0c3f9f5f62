/// What becomes of an item's contents by itself (PH-9, XFER-14).
public enum Keeping: String, Sendable, CaseIterable {
    /// They come when somebody wants them, and may leave when room is needed. That is so where nobody has said anything;
    /// said of an item, it is so in a folder that is pinned, too.
    case automatic
    /// They are brought, kept current, and never leave.
    case pinned
    /// As `automatic`, and the first to leave.
    case onlineOnly
    /// Nothing of it is sent and nothing brought unasked, and what is here never leaves.
    case excluded
    /// As `automatic`, and no longer than they are current: when the remote has newer ones, those that are here leave as soon
    /// as nothing speaks against it (XFER-10 to XFER-13). The newer ones come when somebody wants them.
    case whileCurrent

    /// Whether contents may leave, by hand or by themselves (XFER-12).
    package var letsContentsLeave: Bool {
        switch self {
        case .automatic, .onlineOnly, .whileCurrent: true
        case .pinned, .excluded: false
        }
    }
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
