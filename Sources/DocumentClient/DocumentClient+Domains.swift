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

    /// What is known of the last time that a provider failed; nil when nothing is kept.
    ///
    /// - Parameter domain: nil for whichever domain of the provider failed last.
    public func lastFailure(
        of provider: ProviderIdentifier, domain: DomainName? = nil
    ) async throws(DocumentError) -> FailureReport? {
        guard case .lastFailure(let record, let path) = try await ask(.lastFailure(provider, domain: domain)) else {
            throw Self.unexpectedAnswer
        }
        guard let record else { return nil }
        return FailureReport(record: try PostMortem(json: record), json: record, path: path)
    }

    /// Has a provider started anew at its next use, also one that was given up, with its bundle as it is now.
    ///
    /// - Parameter domain: nil for all domains of the provider.
    public func restartProvider(
        _ provider: ProviderIdentifier, domain: DomainName? = nil
    ) async throws(DocumentError) {
        try await tell(.restartProvider(provider, domain: domain))
    }

    /// Has the traffic with a provider recorded, from its next start on, or no longer.
    ///
    /// - Parameter domain: nil for all domains of the provider.
    /// - Returns: the folders of the recordings, one a domain.
    public func recordProvider(
        _ provider: ProviderIdentifier, domain: DomainName? = nil, isOn: Bool
    ) async throws(DocumentError) -> [String] {
        let call = ServiceCall.recordProvider(provider, domain: domain, isOn: isOn)
        guard case .recordProvider(let folders) = try await ask(call) else { throw Self.unexpectedAnswer }
        return folders
    }

    /// The domains that are configured.
    public func domains() async throws(DocumentError) -> [DomainDescription] {
        guard case .listDomains(let domains) = try await ask(.listDomains) else { throw Self.unexpectedAnswer }
        return domains
    }

    /// How much room a domain's remote has (CONT-13). Its provider is asked, unless it was within a minute; when it cannot be, or
    /// takes more than some seconds, what it said before is told: ``ToldQuota/asOf`` says when that was.
    ///
    /// ``domains()`` and ``status(_:)`` tell what is known, and wait for nobody.
    ///
    /// - Returns: nil when the remote does not say.
    /// - Throws: `notConfigured` when there is no such domain; why the provider could not be asked, when nothing is known.
    public func quota(of domain: DomainName) async throws(DocumentError) -> ToldQuota? {
        try await self.domain(ask(.quota(domain))).quota
    }

    /// Configures a domain. The settings are checked against the provider's manifest.
    ///
    /// - Returns: the domain; where ``DomainDescription/needsSignIn`` is set it waits for ``signIn(to:settings:)``.
    @discardableResult
    public func addDomain(
        _ name: DomainName, provider: ProviderIdentifier, settings: [String: String] = [:]
    ) async throws(DocumentError) -> DomainDescription {
        try await domain(ask(.addDomain(name: name, providerID: provider, settings: settings)))
    }

    /// Gives a domain what it signs in with. The provider tries it before this returns; whatever waited for it goes on.
    ///
    /// - Parameters:
    ///   - settings: those of the provider's that are for signing in (``SettingDescription/isForSignIn``).
    ///   - prompting: asks the user what the provider wants to know beside that; nil when nobody can be asked. What it throws
    ///     ends the sign-in.
    /// - Throws: `notAuthenticated` when it was not accepted; then all is as it was.
    @discardableResult
    public func signIn(
        to domain: DomainName, settings: [String: String], prompting: PromptHandler? = nil
    ) async throws(DocumentError) -> DomainDescription {
        if let prompting { desk.answerPrompts(of: domain, by: prompting) }
        defer { if prompting != nil { desk.answerPrompts(of: domain, by: nil) } }
        return try await self.domain(
            ask(.signIn(domain, settings: settings, answersPrompts: prompting != nil)))
    }

    /// Asks the user while somebody signs in.
    ///
    /// - Parameters:
    ///   - prompt: what is wanted: the provider's words, fit to be shown. Show whose they are.
    ///   - provider: who asks, for people.
    /// - Returns: what was typed, by the fields' keys.
    public typealias PromptHandler =
        @Sendable (_ prompt: Prompt, _ provider: String) async throws -> [String: String]

    /// Forgets what a domain signs in with, its placeholders and what of its contents is here. The domain stays, and needs
    /// a sign-in.
    ///
    /// - Parameter dropUnsent: also when there are changes that were not sent, or conflicts; they are lost.
    /// - Throws: `unsyncedEdits` or `inConflict`, and nothing was done, when something is here that is nowhere else.
    public func signOut(of domain: DomainName, dropUnsent: Bool = false) async throws(DocumentError) {
        try await tell(.signOut(domain, dropUnsent: dropUnsent))
    }

    private func domain(_ reply: ServiceReply) throws(DocumentError) -> DomainDescription {
        guard case .listDomains(let domains) = reply, let domain = domains.first else { throw Self.unexpectedAnswer }
        return domain
    }

    /// Forgets a domain, with everything of it that is here. The remote stays as it is.
    ///
    /// - Parameter discardUnsent: also when there are changes that were not sent; they are lost.
    public func removeDomain(_ name: DomainName, discardUnsent: Bool = false) async throws(DocumentError) {
        try await tell(.removeDomain(name, discardUnsent: discardUnsent))
    }

    /// Says whether deletions that wait for it are meant (CONT-13, see ``DomainDescription/heldDeletions``).
    ///
    /// Yes: they are carried out. No, to those from the remote: documents with contents here stay, and are sent to the
    /// remote again; of the others only a name was here, which goes. No, to those asked for here: everything stays.
    ///
    /// - Parameter direction: nil for both.
    /// - Throws: `noSuchItem` when none wait; what kept one from being carried out, which waits on.
    public func answerDeletions(
        of domain: DomainName, _ direction: HeldDeletions.Direction? = nil, carryOut: Bool
    ) async throws(DocumentError) {
        try await tell(.answerDeletions(domain, direction, carryOut: carryOut))
    }

    /// Changes what is chosen for a domain.
    ///
    /// - Throws: `invalidArgument` for values out of their range.
    public func setRules(_ change: DomainRuleChange, of domain: DomainName) async throws(DocumentError) {
        try await tell(.setDomainRules(domain, change))
    }

    /// What is where, what is under way and what is wrong: as it is known here, without asking a provider.
    ///
    /// - Parameter location: nil for everything; else the numbers are of what is at and below it.
    /// - Throws: ``DocumentError``: `noSuchItem` for what is not known here.
    public func status(_ location: Location? = nil) async throws(DocumentError) -> StorageStatus {
        guard case .status(let domains, let items, let transfers, let broughtFor) = try await ask(.status(location))
        else { throw Self.unexpectedAnswer }
        return StorageStatus(domains: domains, items: items, transfers: transfers, broughtFor: broughtFor)
    }
}

/// What is known of a provider's failure.
public struct FailureReport: Hashable, Sendable {
    /// What a program can make something of.
    public var record: PostMortem
    /// The record as it is kept: one JSON object.
    public var json: String
    /// The file that it is kept in.
    public var path: String
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
    /// The items that are neither placeholders nor simply in sync; a document that was named in any case.
    public var items: [ItemStatus]
    /// What is on its way and what waits, of everything at and below the location that was named.
    public var transfers: TransferSummary
    /// For whom contents were brought since the host's start, the last one first; not all of them, and empty where a
    /// location was named.
    public var broughtFor: [BroughtFor]

    /// What a host tells, or a test makes up.
    public init(
        domains: [DomainStatus] = [], items: [ItemStatus] = [], transfers: TransferSummary = TransferSummary(),
        broughtFor: [BroughtFor] = []
    ) {
        self.broughtFor = broughtFor
        self.domains = domains
        self.items = items
        self.transfers = transfers
    }
}
