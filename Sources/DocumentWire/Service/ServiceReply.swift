package import DocumentModel

/// What the host answers a host tool: the checked form of `docent.service.v1.ServiceAnswer`.
package enum ServiceReply: Hashable, Sendable {
    case done
    case hostStatus(HostStatus)
    /// `problems`: bundles that were found and cannot be used, one sentence each.
    case listProviders([ProviderDescription], problems: [String])
    case listDomains([DomainDescription])
    case listItems(ItemStatusPage)
    case item(ItemStatus)
    case beginAccess(access: UInt64, path: String, item: ItemStatus)
    case evict(evicted: Int, bytes: UInt64)
    case status(domains: [DomainStatus], items: [ItemStatus])
}
