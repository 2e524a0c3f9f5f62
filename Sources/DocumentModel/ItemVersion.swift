/// A state of an item. Both parts are opaque and compared byte by byte (PROV-21).
public struct ItemVersion: Hashable, Sendable {
    /// The most bytes that a part may have.
    public static let maximumLength = 128

    /// Changes when the contents change; empty for folders.
    public let content: [UInt8]
    /// Changes when anything else changes.
    public let metadata: [UInt8]

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when a part is longer than ``maximumLength``.
    public init(content: [UInt8], metadata: [UInt8] = []) throws(DocumentError) {
        guard content.count <= Self.maximumLength, metadata.count <= Self.maximumLength else {
            throw DocumentError(
                .invalidArgument,
                "A version's part may have \(Self.maximumLength) bytes; this one has \(max(content.count, metadata.count))."
            )
        }
        self.content = content
        self.metadata = metadata
    }

    /// Whether a change that began from `base` may be made to an item in this version: each part that the base sets is
    /// the same here.
    public func satisfies(_ base: ItemVersion) -> Bool {
        (base.content.isEmpty || base.content == content) && (base.metadata.isEmpty || base.metadata == metadata)
    }

    private init(checked content: [UInt8]) {
        self.content = content
        metadata = []
    }

    /// The same contents, whatever the metadata: as the base of a change of contents, which a rename is no conflict
    /// with.
    public var contentOnly: ItemVersion { ItemVersion(checked: content) }

    /// No version: what nothing is known of, or what no check is wanted for.
    public static let none = ItemVersion(checked: [])
}
