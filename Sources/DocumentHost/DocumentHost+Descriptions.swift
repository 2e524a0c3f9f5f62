public import DocumentModel
import DocumentStorage
import DocumentWire
import ProviderLauncher
import SystemPackage

/// What is told of providers and domains.
extension DocumentHost {
    /// The providers that are installed, and what is wrong with bundles that cannot be used, one sentence each.
    ///
    /// - Throws: `notConfigured` when `id` is given and no such provider is installed.
    public func providers(
        _ id: ProviderIdentifier? = nil
    ) async throws(DocumentError) -> (providers: [ProviderDescription], problems: [String]) {
        let catalogue = try await catalogue()
        let used = Dictionary(grouping: domains.all, by: \.bundle.manifest.identifier)
        if let id {
            let bundle = try catalogue.bundle(id)
            let description = ProviderDescription(
                bundle, domains: (used[id] ?? []).map(\.name), confinement: confinement)
            return ([description], [])
        }
        let descriptions = catalogue.bundles.map { bundle in
            ProviderDescription(
                bundle, domains: (used[bundle.manifest.identifier] ?? []).map(\.name), confinement: confinement)
        }
        return (descriptions, catalogue.problems.map { $0.error.message })
    }

    public func domainDescriptions() async throws(DocumentError) -> [DomainDescription] {
        var descriptions: [DomainDescription] = []
        for record in try storage.read({ try $0.domains() }) { descriptions.append(describe(record)) }
        return descriptions.sorted { $0.name < $1.name }
    }

    /// A domain, with how much room its remote has by now: its provider is asked, unless it was within a minute. When it cannot
    /// be, or takes more than some seconds, what was known before is told, with its time.
    ///
    /// - Throws: why it could not be asked, when nothing is known.
    public func quota(of name: DomainName) async throws(DocumentError) -> DomainDescription {
        let domain = try domains.domain(name)
        try domain.requireVisible()
        do throws(DocumentError) {
            try await quotas.ask(domain)
        } catch {
            guard error.code != .cancelled, quotas.known(of: name) != nil else { throw error }
        }
        return try await description(of: name)
    }

    func description(of name: DomainName) async throws(DocumentError) -> DomainDescription {
        guard let record = try storage.read({ try $0.domain(name) }) else {
            throw DocumentError(.notConfigured, "There is no domain “\(name)”.")
        }
        return describe(record)
    }

    func describe(_ record: DomainRecord) -> DomainDescription {
        var description = DomainDescription(name: record.name, providerID: record.provider)
        if let domain = domains.find(record.name) {
            description.settings = SignInSettings(domain.bundle.manifest).shown(
                of: domain.supervisor.settings.settings)
            let status = domain.supervisor.status
            description.providerState = ProviderState(status.state)
            description.problem = status.problem
            description.providerProcessID = status.processID
            description.restartDelay = status.restartDelay
            description.recordings = status.recordings?.string
            description.note = domains.note(of: record.name)
            if let problem = domain.signIn.problem {
                description.needsSignIn = true
                description.problem = description.problem ?? problem
            }
            if let problem = domain.reach.problem, description.problem == nil {
                description.problem = problem.wrapped(
                    "What is new on the remote of \(record.name) could not be found out when it was asked last: docent refresh \(record.name):/ asks again."
                )
            }
        } else if record.signIn == .needed || domains.problem(of: record.name)?.code == .notAuthenticated {
            description.settings = domains.settings(ofBroken: record.name)
            description.needsSignIn = true
            description.problem = domains.problem(of: record.name)
        } else {
            // Which of its settings are secret is not known.
            description.providerState = .failed
            description.problem = domains.problem(of: record.name)
        }
        if let rules = try? deletions.rules(of: record.name) { description.rules = rules }
        // Of a drop box nothing is told (PICK-13).
        if domains.find(record.name)?.isDropBox != true { description.quota = quotas.known(of: record.name) }
        if domains.find(record.name)?.isDropBox != true, let held = try? deletions.held(in: record.name) {
            description.heldDeletions = held
        }
        return description
    }
}

extension ProviderState {
    init(_ state: ProviderSupervisorStateMachine.State) {
        switch state {
        case .stopped, .stopping, .ended: self = .idle
        case .starting: self = .starting
        case .running: self = .running
        case .backingOff: self = .waiting
        case .givenUp: self = .failed
        }
    }
}

extension ProviderStatus {
    /// Why it does not run, when it should; nil when all is well.
    var problem: DocumentError? {
        switch state {
        case .backingOff(_, let error), .givenUp(let error): error
        case .stopped, .starting, .running, .stopping, .ended: nil
        }
    }

    /// How long until it may be started again.
    fileprivate var restartDelay: Duration? {
        guard case .backingOff(let until, _) = state else { return nil }
        return max(.zero, until - .now)
    }
}

extension ProviderDescription {
    init(_ bundle: ProviderBundle, domains: [DomainName], confinement: Confinement) {
        let manifest = bundle.manifest
        self.init(
            id: manifest.identifier, name: manifest.name, version: manifest.version,
            bundlePath: bundle.folder.string, executable: bundle.executable.string,
            protocolVersions: manifest.protocolVersions,
            pickerModes: PickerMode.allCases.filter(manifest.modes.contains), supportedTypes: manifest.types,
            capabilities: manifest.capabilities.sorted(),
            settings: manifest.settings.map {
                SettingDescription(
                    key: $0.key, type: SettingType(rawValue: $0.type.rawValue) ?? .string, required: $0.isRequired,
                    isSecret: $0.isSecret, signIn: $0.signIn, defaultValue: $0.defaultValue,
                    description: $0.description)
            },
            permissions: manifest.permissionSentences, gaps: confinement.gaps(for: manifest),
            places: manifest.permissions.fixedPlaces, domains: domains.sorted())
    }
}
