/// Where the contents of a document stand beside the remote's (XFER-8).
public enum DownloadingStatus: String, Sendable, CaseIterable {
    case notDownloaded
    /// Contents are here, and the remote has newer ones.
    case downloaded
    case current

    package init(of state: ItemState) {
        self =
            switch state {
            case .materialised, .changed, .sending, .conflict: .current
            case .outdated: .downloaded
            case .placeholder, .materialising, .nameClash: .notDownloaded
            }
    }
}

/// The attributes of a document that is kept elsewhere.
extension ItemStatus {
    /// XFER-1: it belongs to a provider, and not to this machine alone. A status is only told of items that do.
    public var isUbiquitous: Bool { !item.id.rawValue.isEmpty }

    /// XFER-2: the current version is here and usable.
    public var isDownloaded: Bool { downloadingStatus == .current }

    /// XFER-3: the current version is on its way, and whoever opens the document waits for it.
    public var isDownloading: Bool { state == .materialising || transfers.download?.isUnderWay == true }

    /// XFER-4: how much of what is to come has arrived, 0 to 100; nil when nothing is on its way, or nobody knows how much
    /// that is. 100 when it is here.
    public var percentDownloaded: Int? { isDownloaded ? 100 : transfers.download?.percent }

    /// XFER-5: all changes are on the remote.
    public var isUploaded: Bool {
        switch state {
        case .changed, .sending, .conflict: false
        case .placeholder, .materialising, .materialised, .outdated, .nameClash: true
        }
    }

    /// XFER-6: changes are being sent.
    public var isUploading: Bool { state == .sending || transfers.upload?.isUnderWay == true }

    /// XFER-7: as ``percentDownloaded``.
    public var percentUploaded: Int? { isUploaded ? 100 : transfers.upload?.percent }

    /// XFER-8.
    public var downloadingStatus: DownloadingStatus { DownloadingStatus(of: state) }

    /// Whether somebody has to choose: it was changed on both sides here, or the remote keeps another device's side (VER-2).
    public var hasUnresolvedConflicts: Bool { state == .conflict || item.conflictVersions > 0 }
    public var isExcludedFromSync: Bool { marks.keeping == .excluded }
    /// What went wrong last when its contents were to come.
    public var downloadingError: DocumentError? { transfers.download?.problem }
    /// What went wrong last when its changes were to be sent.
    public var uploadingError: DocumentError? { transfers.upload?.problem }
}
