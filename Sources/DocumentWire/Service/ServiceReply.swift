package import DocumentModel

/// What the host answers a host tool: the checked form of `docent.service.v1.ServiceAnswer`.
package enum ServiceReply: Hashable, Sendable {
    case done
    case hostStatus(HostStatus)
    /// `problems`: bundles that were found and cannot be used, one sentence each.
    case listProviders([ProviderDescription], problems: [String])
    /// JSON, and the file that it is kept in; nil when nothing ever failed.
    case lastFailure(record: String?, path: String)
    /// The folders of the recordings.
    case recordProvider(folders: [String])
    case listDomains([DomainDescription])
    case listItems(ItemStatusPage)
    case item(ItemStatus)
    /// `also`: the further documents of the access.
    case beginAccess(access: UInt64, path: String, item: ItemStatus, also: [AccessedItem] = [])
    case coordinationStatus(CoordinationStatus)
    case evict(evicted: Int, bytes: UInt64)
    case status(
        domains: [DomainStatus], items: [ItemStatus], transfers: TransferSummary = TransferSummary(),
        broughtFor: [BroughtFor] = [])
    case versions([DocumentVersion])
    case beginPicker(UInt64, roots: [PickerRoot])
    case browsePicker(PickerListing)
    case pickerEntry(PickerEntry)
    case choosePicker([PickedItem])
    case searchPicker(PickerFindings)
    /// Of the first ones that were asked for: as many as there was room for.
    case thumbnails([ThumbnailOutcome])
    case bookmark(BookmarkReply)
    case tools(ToolsReply)
    case transfers(TransferReply)
    case safeguards(SafeguardReply)
}
