/// What an access to a document is for.
public enum AccessIntent: String, Sendable, CaseIterable {
    /// Others may read at the same time.
    case reading
    /// Nobody else reads or writes.
    case writing
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
