/// Where an item stands between here and the remote (design, section 6).
public enum ItemState: String, Sendable, CaseIterable {
    /// Metadata only.
    case placeholder
    /// Contents are coming.
    case materialising
    /// Contents are here and current.
    case materialised
    /// Contents are here, and the remote has newer ones (XFER-8: downloaded, not current).
    case outdated
    /// Changed here and not sent yet.
    case changed
    /// Being sent.
    case sending
    /// Changed on both sides; both contents are kept.
    case conflict
    /// Not shown in the tree: a sibling's name is the same but for case or Unicode form (CONT-12).
    case nameClash
}
