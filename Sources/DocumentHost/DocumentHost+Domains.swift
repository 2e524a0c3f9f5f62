public import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

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
            return ([ProviderDescription(bundle, domains: (used[id] ?? []).map(\.name))], [])
        }
        let descriptions = catalogue.bundles.map { bundle in
            ProviderDescription(bundle, domains: (used[bundle.manifest.identifier] ?? []).map(\.name))
        }
        return (descriptions, catalogue.problems.map { $0.error.message })
    }

    /// Configures a domain, and starts its provider once to see that it works.
    ///
    /// - Throws: `nameCollision` when there is one of that name, `notConfigured` for an unknown provider,
    ///   `invalidArgument` for settings that its manifest does not allow, and what the provider says of them.
    public func addDomain(
        _ name: DomainName, provider id: ProviderIdentifier, settings: [String: String]
    ) async throws(DocumentError) -> DomainDescription {
        guard domains.find(name) == nil, try storage.read({ try $0.domain(name) }) == nil else {
            throw DocumentError(
                .nameCollision, "There is a domain “\(name)” already; remove it first, or choose another name.")
        }
        let bundle = try await catalogue().bundle(id)
        let complete = try bundle.manifest.validate(settings: settings)
        let record = DomainRecord(name: name, provider: id, settings: complete)
        let state = try await storage.run { try $0.root.providerFolder(of: name) }
        let supervisor = try supervise(record, bundle, state)
        do throws(DocumentError) {
            var final = record
            final.rootID = try await supervisor.withProvider { live throws(DocumentError) in live.rootID }
            let stored = final
            // Settings that its provider cannot use are best found now.
            _ = try await ProviderSession(supervisor).item(stored.rootID)
            try await storage.write { try $0.addDomain(stored) }
            domains.add(Domain(name: name, bundle: bundle, rootID: stored.rootID, supervisor: supervisor))
        } catch {
            await fleet.remove(name)
            _ = try? await storage.run { try $0.root.removeProviderFolder(of: name) }
            var refusal = error
            refusal.message = "The domain “\(name)” was not added: \(error.message)"
            throw refusal
        }
        return try await description(of: name)
    }

    public func domainDescriptions() async throws(DocumentError) -> [DomainDescription] {
        var descriptions: [DomainDescription] = []
        for record in try storage.read({ try $0.domains() }) { descriptions.append(describe(record)) }
        return descriptions.sorted { $0.name < $1.name }
    }

    /// Ends a domain: its placeholders and clean contents go, here only.
    ///
    /// - Throws: `unsyncedEdits` when something is unsent and `discardingUnsent` is false (AUTH-6).
    public func removeDomain(_ name: DomainName, discardingUnsent: Bool) async throws(DocumentError) {
        guard try storage.read({ try $0.domain(name) }) != nil else {
            _ = try domains.domain(name)
            return
        }
        if !discardingUnsent {
            let unsent = try storage.read { index in
                try [ItemState.changed, .sending, .conflict].flatMap {
                    try index.items(in: $0, of: name, limit: 1)
                }
            }
            if let item = unsent.first {
                let location = try storage.read { try $0.location(of: item.id, in: name) }
                throw DocumentError(
                    .unsyncedEdits,
                    "\(location ?? Location(domain: name)) has changes that were not sent yet; send them, or remove the domain with --discard-unsent."
                )
            }
        }
        if let domain = domains.find(name) {
            guard !broker.isClaimed(ItemKey(domain: name, id: domain.rootID), contentsToo: true) else {
                throw DocumentError(.busy, "Documents of \(name) are in use; end the accesses first.")
            }
            domains.remove(name)
            await fleet.remove(name)
        }
        domains.remove(name)
        do throws(DocumentError) {
            try await storage.run { try $0.removeDomain(name, discardingEdits: discardingUnsent) }
        } catch {
            // Something unsent was found at the last look: the domain goes on.
            if let record = try storage.read({ try $0.domain(name) }) { open(record, try await catalogue()) }
            throw error
        }
    }

    /// Blocks; for the host's start, so that nobody finds a domain missing that is configured.
    func openDomains() throws(DocumentError) {
        let catalogue = ProviderCatalogue(
            folders: configuration.providerFolders, explicit: configuration.providerBundles)
        for record in try storage.read({ try $0.domains() }) { open(record, catalogue) }
    }

    private func open(_ record: DomainRecord, _ catalogue: ProviderCatalogue) {
        do throws(DocumentError) {
            let bundle = try catalogue.bundle(record.provider)
            // The manifest may have changed since the domain was added.
            _ = try bundle.manifest.validate(settings: record.settings)
            let state: FilePath
            do {
                state = try root.providerFolder(of: record.name)
            } catch {
                throw DocumentError(wrapping: error)
            }
            let supervisor = try supervise(record, bundle, state)
            domains.add(
                Domain(name: record.name, bundle: bundle, rootID: record.rootID, supervisor: supervisor))
        } catch {
            logger.warning("a domain cannot be used", metadata: ["domain": "\(record.name)", "error": "\(error)"])
            domains.addBroken(
                record.name, because: error.wrapped("The domain “\(record.name)” cannot be used: \(error.message)"))
        }
    }

    private func catalogue() async throws(DocumentError) -> ProviderCatalogue {
        let configuration = configuration
        return try await storage.run { _ in
            ProviderCatalogue(folders: configuration.providerFolders, explicit: configuration.providerBundles)
        }
    }

    private func description(of name: DomainName) async throws(DocumentError) -> DomainDescription {
        guard let record = try storage.read({ try $0.domain(name) }) else {
            throw DocumentError(.notConfigured, "There is no domain “\(name)”.")
        }
        return describe(record)
    }

    func describe(_ record: DomainRecord) -> DomainDescription {
        var description = DomainDescription(
            name: record.name, providerID: record.provider, settings: record.settings)
        if let domain = domains.find(record.name) {
            let status = domain.supervisor.status
            description.providerState = ProviderState(status.state)
            description.problem = status.problem
            description.providerProcessID = status.processID
        } else {
            description.providerState = .failed
            description.problem = domains.problem(of: record.name)
        }
        return description
    }
}

extension DocumentHost {
    /// Takes the domain's provider into the fleet; its first use starts it.
    private func supervise(
        _ record: DomainRecord, _ bundle: ProviderBundle, _ state: FilePath
    ) throws(DocumentError) -> ProviderSupervisor {
        let name = record.name
        let settings = SessionSettings(
            providerID: record.provider, domain: name, settings: record.settings, stateFolder: state.string,
            storageRoot: root.path.string, stagingFolder: root.path.appending(".docent/staging").string)
        var configuration = ProviderSupervisor.Configuration(bundle: bundle, settings: settings)
        configuration.idleAfter = self.configuration.providerIdleTime
        let domains = domains
        let sender = sender
        return try fleet.add(configuration, handler: ProviderLine(domain: name, host: self)) { event in
            domains.find(name)?.took(event)
            // What could not be sent to the process before may be possible with this one.
            if case .started = event { try? sender.enqueueAll(of: name) }
        }
    }
}

extension ProviderState {
    fileprivate init(_ state: ProviderSupervisorStateMachine.State) {
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
    fileprivate var problem: DocumentError? {
        switch state {
        case .backingOff(_, let error), .givenUp(let error): error
        case .stopped, .starting, .running, .stopping, .ended: nil
        }
    }
}

extension ProviderDescription {
    init(_ bundle: ProviderBundle, domains: [DomainName]) {
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
                    defaultValue: $0.defaultValue, description: $0.description)
            },
            permissions: manifest.permissionSentences, domains: domains.sorted())
    }
}
