package import DocumentModel

/// What a host tool asks the host: the checked form of `docent.service.v1.ServiceRequest`.
package enum ServiceCall: Hashable, Sendable {
    case hostStatus
    case stopHost
    /// Nil: all of them.
    case listProviders(ProviderIdentifier?)
    case addDomain(name: DomainName, providerID: ProviderIdentifier, settings: [String: String])
    case listDomains
    case removeDomain(DomainName, discardUnsent: Bool)
    case listItems(Location, page: PageToken?, suggestedCount: Int, refresh: Bool)
    case getItem(Location)
    case makeFolder(Location)
    case renameItem(Location, destination: Location)
    case removeItem(Location, recursive: Bool, discardUnsent: Bool)
    case beginAccess(AccessRequest)
    case endAccess(UInt64)
    case exportDocument(sourcePath: String, destination: Location, replace: Bool)
    case moveDocument(sourcePath: String, destination: Location, replace: Bool)
    case download(Location)
    case evict(Location)
    case waitUntilSent(Location)
    /// Nil: everything.
    case status(Location?)
    case resolveConflict(Location, keep: ConflictResolution)
    case refresh(Location)
}

/// Who a host tool is, in its hello: the checked form of `docent.service.v1.ToolIdentity`.
package struct ToolIdentity: Hashable, Sendable {
    /// For logs and for errors that name who waits for whom, for example “docent edit”.
    package var name: String

    package init(name: String) {
        self.name = name
    }
}
