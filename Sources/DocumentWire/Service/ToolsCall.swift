package import DocumentModel

/// What a host tool asks about tools and containers: the checked form of those calls of `docent.service.v1.ServiceRequest`.
package enum ToolsCall: Hashable, Sendable {
    /// The manifest's path.
    case register(String)
    /// Nil: all of them; for a registered tool, itself.
    case describe(ToolIdentifier?)
    case unregister(ToolIdentifier)
    /// Nil: the tool's main container.
    case openContainer(ContainerIdentifier?)
    case listContainers
    /// Nil: there are to be none.
    case placeContainers(Location?)
    case removeContainerData(ContainerIdentifier)
    /// No keys: all. `after`: not before something has changed since that revision; 0: at once.
    case getKeyValues([String], after: UInt64)
    case setKeyValues(KeyValueChange)
}

/// What the host answers to that.
package enum ToolsReply: Hashable, Sendable {
    case tools([ToolDescription])
    /// Nil: the service is off, or there is no account.
    case openContainer(Location?)
    /// `place`: where they are; nil for a registered tool, and when there are none.
    case containers([ContainerDescription], place: Location?)
    case keyValues([String: [UInt8]], revision: UInt64)
}
