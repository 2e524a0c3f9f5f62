public import DocumentModel
public import SystemPackage

/// What a provider is told about its domain, and its way to the host.
public struct ProviderContext: Sendable {
    public let providerIdentifier: ProviderIdentifier
    public let domain: DomainName
    /// The domain's settings, checked against the manifest.
    public let settings: [String: String]
    /// A folder for the provider's own state; stays over restarts.
    public let stateFolder: FilePath
    /// The document storage root. For information: a provider never writes there (ID-8).
    public let documentStorageURL: FilePath
}

/// One transfer: where to report how far it is, and to learn of a cancel.
public struct Transfer: Sendable {
}
