public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// The providers that are installed, and the bundles that were found and cannot be used.
    public func providers() async throws(DocumentError) -> InstalledProviders {
        guard case .listProviders(let providers, let problems) = try await ask(.listProviders(nil)) else {
            throw Self.unexpectedAnswer
        }
        return InstalledProviders(providers: providers, problems: problems)
    }

    /// One installed provider.
    public func provider(_ id: ProviderIdentifier) async throws(DocumentError) -> ProviderDescription {
        guard case .listProviders(let providers, let problems) = try await ask(.listProviders(id)) else {
            throw Self.unexpectedAnswer
        }
        if let provider = providers.first(where: { $0.id == id }) { return provider }
        throw DocumentError(
            .notConfigured,
            "There is no provider \(id): “docent provider list” shows the ones that are installed.",
            causes: problems
        )
    }

    /// The domains that are configured.
    public func domains() async throws(DocumentError) -> [DomainDescription] {
        guard case .listDomains(let domains) = try await ask(.listDomains) else { throw Self.unexpectedAnswer }
        return domains
    }

    /// Configures a domain. The settings are checked against the provider's manifest.
    public func addDomain(
        _ name: DomainName, provider: ProviderIdentifier, settings: [String: String] = [:]
    ) async throws(DocumentError) {
        _ = try await ask(.addDomain(name: name, providerID: provider, settings: settings))
    }

    /// Forgets a domain, with everything of it that is here. The remote stays as it is.
    ///
    /// - Parameter discardUnsent: also when there are changes that were not sent; they are lost.
    public func removeDomain(_ name: DomainName, discardUnsent: Bool = false) async throws(DocumentError) {
        try await tell(.removeDomain(name, discardUnsent: discardUnsent))
    }

    /// What is where, what is under way and what is wrong.
    ///
    /// - Parameter location: nil for everything.
    public func status(_ location: Location? = nil) async throws(DocumentError) -> StorageStatus {
        guard case .status(let domains, let items) = try await ask(.status(location)) else {
            throw Self.unexpectedAnswer
        }
        return StorageStatus(domains: domains, items: items)
    }
}

/// The providers of a machine.
public struct InstalledProviders: Hashable, Sendable {
    /// Those that can be used.
    public var providers: [ProviderDescription]
    /// Bundles that were found and cannot be used, one sentence each.
    public var problems: [String]

    /// What a host tells, or a test makes up.
    public init(providers: [ProviderDescription] = [], problems: [String] = []) {
        self.providers = providers
        self.problems = problems
    }
}

/// Where everything is.
public struct StorageStatus: Hashable, Sendable {
    /// Every domain, in numbers.
    public var domains: [DomainStatus]
    /// The items that are neither placeholders nor simply in sync.
    public var items: [ItemStatus]

    /// What a host tells, or a test makes up.
    public init(domains: [DomainStatus] = [], items: [ItemStatus] = []) {
        self.domains = domains
        self.items = items
    }
}
