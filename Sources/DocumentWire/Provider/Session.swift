package import DocumentModel

/// What the host tells a provider in its hello: `docent.provider.v1.SessionSettings`.
package struct SessionSettings: Hashable, Sendable {
    package var providerID: ProviderIdentifier
    package var domain: DomainName
    package var settings: [String: String]
    package var stateFolder: String
    package var storageRoot: String
    package var stagingFolder: String
    /// What this device is called.
    package var deviceName: String

    package init(
        providerID: ProviderIdentifier, domain: DomainName, settings: [String: String], stateFolder: String,
        storageRoot: String, stagingFolder: String, deviceName: String = ""
    ) {
        self.providerID = providerID
        self.domain = domain
        self.settings = settings
        self.stateFolder = stateFolder
        self.storageRoot = storageRoot
        self.stagingFolder = stagingFolder
        self.deviceName = deviceName
    }
}

/// What a provider tells the host in its answer to the hello: `docent.provider.v1.SessionCapabilities`.
package struct SessionCapabilities: Hashable, Sendable {
    package var capabilities: Set<ProviderCapability>
    package var rootID: ItemIdentifier

    package init(capabilities: Set<ProviderCapability>, rootID: ItemIdentifier = .root) {
        self.capabilities = capabilities
        self.rootID = rootID
    }
}
