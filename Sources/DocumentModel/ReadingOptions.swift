/// How a reading access is made (COORD-10 to COORD-14). With no option, presenters are asked to save first and the
/// contents are provided.
public struct ReadingOptions: OptionSet, Hashable, Sendable {
    /// As the wire has it: one bit an option.
    public let rawValue: UInt32

    /// Of bits as the wire has them; unknown ones mean nothing.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Presenters are not asked to save (COORD-11).
    public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
    /// The access gets what a symbolic link points at (COORD-12). Documents in a domain are never links, so that this reads
    /// as plain reading does.
    public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
    /// Nothing is downloaded; other local readers, writers and presenters still count (COORD-13).
    public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
    /// The access gets a snapshot, and the document itself is free again at once (COORD-14).
    public static let forUploading = ReadingOptions(rawValue: 1 << 3)

    /// The access may begin when a part of the contents is here, where they come part by part (DOWN-10). Who asks for it opens the
    /// document's file at once, and reads what it has opened: that may lose its name meanwhile, when the remote has removed it.
    package static let asItComes = ReadingOptions(rawValue: 1 << 4)

    /// When such accesses wait for the documents of a folder one after the other, the next ones may be fetched ahead (DOWN-9).
    package static let readingAhead = ReadingOptions(rawValue: 1 << 5)

    /// Whether the access needs the document's current contents here (COORD-9).
    package var needsContents: Bool { !contains(.immediatelyAvailableMetadataOnly) }
}

extension WritingOption? {
    /// Whether the access needs the document's current contents here (COORD-21).
    package var needsContents: Bool {
        switch self {
        case .forDeleting, .forMoving, .forReplacing, .contentIndependentMetadataOnly: false
        case nil, .forMerging: true
        }
    }
}
