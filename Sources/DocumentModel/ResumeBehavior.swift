/// What becomes of changes that were not sent when a document's pause ends (VER-14).
public enum ResumeBehavior: String, Hashable, Sendable, CaseIterable {
    /// They are sent. Where the remote was changed, too, both contents are kept, and the document is in conflict.
    case keepBoth
    /// They are sent over what the remote has; that is kept as a version on this device.
    case keepLocal
    /// They are sent if the remote still has what they began from. Else nothing is.
    case failOnConflict
    /// What the remote has takes their place; they are kept as a version on this device.
    case dropLocal
}
