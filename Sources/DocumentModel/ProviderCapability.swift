/// What a provider can do beyond the minimum, by the names that manifest and wire use.
public enum ProviderCapability: String, Sendable, CaseIterable, Comparable {
    /// Create, change and delete items.
    case modifying
    /// A feed of changes with anchors.
    case changes
    /// Give parts of a document's contents.
    case ranges
    /// Shape how a picker shows the domain, and have a say in what is chosen.
    case picker
    /// Ask whoever signs in, and keep secrets of its own.
    case signIn = "sign-in"
    /// Give small pictures of documents.
    case thumbnails
    /// Keep versions of documents beside their contents: the sides of conflicts, for all devices.
    case versions
    /// Tell how much room the remote has.
    case quota

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
