/// Contents that a document has, or had, and that can be looked at: VER-1, VER-13.
public struct DocumentVersion: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// What the document is everywhere, or will be when it is sent. Of the two sides of a conflict, the one that wins
        /// by the rule that is the same on every machine (VER-3, VER-12).
        case current
        /// The other side of a conflict that nobody has resolved yet.
        case conflict
        /// What changes began from that were not sent yet.
        case base
        /// What was here before.
        case older
        /// What the remote has, and the document here has neither become nor begun from. Its contents are here when they were
        /// fetched (VER-8, VER-14).
        case remote
    }

    /// Names these contents for as long as they are kept, over restarts too (VER-8): while they are only on the remote, as what
    /// lies in the document's own file, and as an older version, when others have taken their place there.
    public var id: String
    public var kind: Kind
    /// The contents; nil when they are not here.
    public var path: String?
    /// In bytes, where it is known.
    public var size: Int64?
    /// When it was last modified.
    public var modified: Timestamp
    /// Whether these contents are what lies in the document's own file.
    public var isInPlace: Bool
    /// What the device calls itself that saved them; nil where it is not known (VER-9). The sides of a conflict always have one:
    /// where nobody has said it, ``anotherDevice``.
    public var device: String?
    /// Whether a thumbnail of these contents is kept here, and comes at once (VER-9).
    public var hasThumbnail: Bool
    /// Of the other side of a conflict: why both are kept, in one sentence (VER-13).
    public var reason: String?

    /// What lies in a document's own file may be named by this, too, whichever contents those are by then.
    public static let inPlace = "current"

    /// What saved a side of a conflict was not this device, and the provider does not say more.
    public static let anotherDevice = "another device"

    /// Whether it is meant by a name: its identifier, or ``inPlace``.
    public func isNamed(_ name: String) -> Bool { id == name || isInPlace && name == Self.inPlace }

    public init(
        id: String, kind: Kind, path: String? = nil, size: Int64? = nil, modified: Timestamp = .zero,
        isInPlace: Bool = false, device: String? = nil, hasThumbnail: Bool = false,
        reason: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.path = path
        self.size = size
        self.modified = modified
        self.isInPlace = isInPlace
        self.device = device
        self.hasThumbnail = hasThumbnail
        self.reason = reason
    }
}
