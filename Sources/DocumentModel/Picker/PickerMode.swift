/// What a picker session is for.
public enum PickerMode: String, Sendable, CaseIterable {
    /// A copy of a provided document for the tool (PICK-1).
    case `import`
    /// Access to a provided document in its place (PICK-2).
    case open
    /// A copy of a local document for the provider (PICK-3).
    case export
    /// A local document becomes a provided one (PICK-4).
    case move

    /// Whether a provided document is chosen; else a place for a local one.
    public var choosesDocuments: Bool { self == .import || self == .open }
}
