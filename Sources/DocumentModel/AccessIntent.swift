/// What an access to a document is for.
public enum AccessIntent: String, Sendable, CaseIterable {
    /// Others may read at the same time.
    case reading
    /// Nobody else reads or writes.
    case writing
}

/// What a writing access is for, where that changes who waits or who is told; at most one at a time (COORD-15).
public enum WritingOption: String, Sendable, CaseIterable {
    /// The item goes away (COORD-16).
    case forDeleting
    /// The item gets another place (COORD-17).
    case forMoving
    /// Changes of several sides are brought together (COORD-18).
    case forMerging
    /// Another item takes its place (COORD-19).
    case forReplacing
    /// Only what does not depend on the contents changes (COORD-20).
    case contentIndependentMetadataOnly
}

/// A host tool's wish to read or write a document.
public struct AccessRequest: Hashable, Sendable {
    public var location: Location
    public var intent: AccessIntent
    /// For writing; nil is a plain update.
    public var writingOption: WritingOption?
    /// Accesses with the same purpose never wait for each other (COORD-6); nil: a purpose of its own.
    public var purpose: String?
    /// Contents are not provided.
    public var metadataOnly: Bool
    /// The accesses of the same connection inside which this one is asked for.
    public var nestedIn: [UInt64]

    public init(
        location: Location, intent: AccessIntent, writingOption: WritingOption? = nil, purpose: String? = nil,
        metadataOnly: Bool = false, nestedIn: [UInt64] = []
    ) {
        self.location = location
        self.intent = intent
        self.writingOption = writingOption
        self.purpose = purpose
        self.metadataOnly = metadataOnly
        self.nestedIn = nestedIn
    }
}

/// How a conflict ends.
public enum ConflictResolution: String, Sendable, CaseIterable {
    /// The contents in the document's file stay, and are sent.
    case local
    /// The version of the other side takes the file's place.
    case remote
    /// The local contents become a new document beside it.
    case both
}
