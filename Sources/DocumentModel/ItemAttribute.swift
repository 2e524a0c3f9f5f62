/// Where an item stands between this machine and the remote, as presenters ask to be told of it (COORD-41).
public enum ItemAttribute: String, Sendable, CaseIterable {
    /// The current version is here and usable (XFER-2).
    case isDownloaded
    /// The current version is on its way (XFER-3).
    case isDownloading
    /// All local changes are on the remote (XFER-5).
    case isUploaded
    /// Local changes are being sent (XFER-6).
    case isUploading
    /// Which contents are here: none, older ones or the current ones (XFER-8).
    case downloadingStatus
    /// Both sides have changed it, and nobody has chosen yet (XFER-8).
    case hasUnresolvedConflicts
    /// It, or a folder around it, is kept out of sync (XFER-8).
    case isExcludedFromSync
}
