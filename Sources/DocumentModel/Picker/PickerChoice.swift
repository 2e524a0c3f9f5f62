/// What somebody chose, as a provider is asked about it.
public enum PickerChoice: Hashable, Sendable {
    /// In import and open.
    case item(ItemIdentifier)
    /// In export and move: a new name in a folder, or that of a document that is to be replaced.
    case destination(container: ItemIdentifier, name: ItemName, replacing: Bool)
}

/// What a host tool chose, as the host is told.
public enum PickerSelection: Hashable, Sendable {
    /// More than this are not chosen at once.
    public static let mostItems = 256

    /// In import and open: entries of the session.
    case entries([PickerEntryID])
    /// In import and open: paths below the document storage root; nothing need exist there yet (PICK-2).
    case paths([String])
    /// In export and move: a name in a folder of the session.
    case target(folder: PickerEntryID, name: ItemName, replacing: Bool)
}
