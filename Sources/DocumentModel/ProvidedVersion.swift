/// Contents of a document that its remote keeps beside the current ones, for all devices (VER-2).
public struct ProvidedVersion: Hashable, Sendable {
    public enum Role: String, Sendable, CaseIterable {
        /// A side of a conflict that nobody has resolved yet.
        case conflict
        /// What the document was before.
        case older
    }

    /// So many are kept of one document, at most.
    public static let mostOfOneDocument = 64
    /// In bytes.
    public static let longestIdentifier = 128

    /// Names it for as long as it is kept (VER-8), and no other version of the document ever: 1 to ``longestIdentifier``
    /// bytes without control characters.
    public var id: String
    public var role: Role
    /// In bytes; nil when it is not known.
    public var size: Int64?
    /// When it was last modified.
    public var modified: Timestamp
    /// What the device calls itself that saved it; nil where it is not known (VER-9).
    public var savedBy: String?
    /// The SHA-256 of the contents, 32 bytes; nil where it is not known.
    public var sha256: [UInt8]?

    public init(
        id: String, role: Role, size: Int64? = nil, modified: Timestamp = .zero, savedBy: String? = nil,
        sha256: [UInt8]? = nil
    ) {
        self.id = id
        self.role = role
        self.size = size
        self.modified = modified
        self.savedBy = savedBy
        self.sha256 = sha256
    }
}
