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
    /// For reading.
    public var readingOptions: ReadingOptions = []
    /// Further documents: all claims are taken in one step (COORD-33).
    public var also: [Intention] = []
    /// The presenter that the coordinator was made with, by the number that the tool gave it.
    public var presenter: UInt64?
    /// The coordinator, by the number that the tool gave it: its accesses never wait for each other (COORD-6).
    public var coordinator: UInt64?
    /// The message that a presenter of the tool's is answering, and answers only when it has had this access.
    public var answering: UInt64?
    /// No access is wanted, but that presenters are ready for what comes (COORD-35).
    public var isPreparation = false
    /// Only what this bookmark allows, which must have been started (BOOK-2); nil: whatever the tool may.
    public var bookmark: Bookmark?
    /// The document is made, empty, and then written; there must be none. Of a plain write of one document only.
    public var isCreating = false
    /// The program that the tool asks for, as people know it; nil: the tool itself.
    public var onBehalf: String?
    /// Asked for by a mounted tree, for programs that know nothing of accesses: who reads in one mount shares the file with who
    /// writes it in another one, and two who write wait for each other for a moment only.
    package var isOfMount = false

    /// One document of an access.
    public struct Intention: Hashable, Sendable {
        public var location: Location
        public var intent: AccessIntent
        /// For writing; nil is a plain update.
        public var writingOption: WritingOption?
        /// For reading.
        public var readingOptions: ReadingOptions

        public init(
            location: Location, intent: AccessIntent, writingOption: WritingOption? = nil,
            readingOptions: ReadingOptions = []
        ) {
            self.location = location
            self.intent = intent
            self.writingOption = writingOption
            self.readingOptions = readingOptions
        }

        /// Whether the document's current contents must be here first (COORD-9, COORD-21).
        package var needsContents: Bool {
            intent == .reading ? readingOptions.needsContents : writingOption.needsContents
        }
    }

    /// All documents, the first one first.
    public var intentions: [Intention] {
        let options = metadataOnly ? readingOptions.union(.immediatelyAvailableMetadataOnly) : readingOptions
        return [
            Intention(
                location: location, intent: intent, writingOption: writingOption, readingOptions: options)
        ] + also
    }

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
