public import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Glibc
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

    /// Configures a domain, and starts its provider once to see that it works. Where it needs a sign-in, and nothing to sign
    /// in with is among the settings, the domain waits for ``signIn(to:settings:)``.
    ///
    /// - Throws: `nameCollision` when there is one of that name, `notConfigured` for an unknown provider,
    ///   `invalidArgument` for settings that its manifest does not allow, and what the provider says of them.
    public func addDomain(
        _ name: DomainName, provider id: ProviderIdentifier, settings: [String: String]
    ) async throws(DocumentError) -> DomainDescription {
        try await domainLocks.withLock(name) { () async throws(DocumentError) in
            try await add(name, id, settings)
        }
    }

    private func add(
        _ name: DomainName, _ id: ProviderIdentifier, _ settings: [String: String]
    ) async throws(DocumentError) -> DomainDescription {
        guard domains.find(name) == nil, try storage.read({ try $0.domain(name) }) == nil else {
            throw DocumentError(
                .nameCollision, "There is a domain “\(name)” already; remove it first, or choose another name.")
        }
        let catalogue = try await catalogue()
        let bundle = try catalogue.bundle(id)
        let kinds = SignInSettings(bundle.manifest)
        let complete = try bundle.manifest.validate(settings: settings, signedOut: true)
        let credentials = kinds.those(of: complete)
        var record = DomainRecord(name: name, provider: id, settings: kinds.others(of: complete))
        guard !kinds.isMissing(from: complete) else { return try await addSignedOut(record) }
        let folders = try await storage.run { store throws in
            try self.folders(of: name, in: store.root, besides: catalogue)
        }
        let supervisor = try supervise(record, complete, bundle, folders)
        do throws(DocumentError) {
            record.rootID = try await supervisor.withProvider { live throws(DocumentError) in live.rootID }
            try await checkForMounts(complete, of: bundle)
            let stored = record
            // Settings that its provider cannot use are best found now.
            _ = try await ProviderSession(supervisor).item(stored.rootID)
            try await keep(credentials, of: name)
            try await storage.write { try $0.addDomain(stored) }
            domains.add(
                makeDomain(
                    name, bundle, stored.rootID, supervisor,
                    isRunning: ProviderState(supervisor.status.state) == .running))
        } catch {
            // Told to end right away it would not be known to have failed.
            await supervisor.waitWhileDying(atMost: .seconds(10))
            await fleet.remove(name)
            domains.remove(name)
            await forgetSecrets(of: name)
            _ = try? await storage.run { try $0.root.removeProviderFolder(of: name) }
            if error.code == .notAuthenticated, credentials.isEmpty, !kinds.isEmpty {
                // Nothing is wrong with it but that nobody was asked yet.
                return try await addSignedOut(record)
            }
            await providerRecords.handOver(name, to: id)
            await providerRecords.forget(name)
            var refusal = error
            refusal.message = "The domain “\(name)” was not added: \(error.message)"
            throw refusal
        }
        events.domainChanged(name)
        return try await description(of: name)
    }

    /// What has to do with a mount a confined provider is not given in any case (``SandboxPolicy``). One that is not confined reads
    /// what it likes: nobody begins with such a folder all the same. It is looked for when the provider has the folder: of two
    /// reasons why it is none to choose, the graver one is told.
    private func checkForMounts(_ settings: [String: String], of bundle: ProviderBundle) async throws(DocumentError) {
        let mounts = try await storage.run { _ in DocentMounts.now() }
        for setting in bundle.manifest.settings where setting.type == .path {
            guard let folder = settings[setting.key],
                let mount = DocentMounts.first(within: FilePath(folder), of: mounts)
            else { continue }
            throw DocumentError(
                .notConfigured,
                "“\(folder)” has to do with Docent's own mount at “\(mount)”: choose another folder, or mount the documents elsewhere."
            )
        }
    }

    /// A domain that waits for somebody to sign in.
    private func addSignedOut(_ record: DomainRecord) async throws(DocumentError) -> DomainDescription {
        var record = record
        record.signIn = .needed
        let stored = record
        try await storage.write { try $0.addDomain(stored) }
        domains.addBroken(
            record.name, because: SignInState.signedOut(record.name), settings: record.settings)
        events.domainChanged(record.name)
        return try await description(of: record.name)
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

    /// Ends a domain: its placeholders and clean contents go, here only.
    ///
    /// - Throws: `unsyncedEdits` when something is unsent and `discardingUnsent` is false (AUTH-6).
    public func removeDomain(_ name: DomainName, discardingUnsent: Bool) async throws(DocumentError) {
        try await domainLocks.withLock(name) { () async throws(DocumentError) in
            try await remove(name, discardingUnsent: discardingUnsent)
        }
    }

    private func remove(_ name: DomainName, discardingUnsent: Bool) async throws(DocumentError) {
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
        if !discardingUnsent, backlog.count(of: name) > 0 {
            await backlog.settle(name)
            let left = backlog.count(of: name)
            guard left == 0 else {
                throw DocumentError(
                    .unsyncedEdits,
                    "\(name) has removals and new names that its provider has not heard of yet, \(left) of them; wait until it can be reached, or remove the domain with --discard-unsent."
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
            await forgetSecrets(of: name)
            interrupted.forget(name)
            backlog.forget(name)
            localChanges.removed(name)
            lookout.removed(name)
            discovery.removed(name)
            readAhead.removed(name)
            pauses.itemsRemoved()
            events.domainRemoved(name)
            await providerRecords.forget(name)
        } catch {
            // Something unsent was found at the last look: the domain goes on.
            if let record = try storage.read({ try $0.domain(name) }) { try await reopen(record) }
            throw error
        }
    }

    /// Blocks; for the host's start, so that nobody finds a domain missing that is configured.
    func openDomains() throws(DocumentError) {
        let catalogue = ProviderCatalogue(
            folders: configuration.providerFolders, explicit: configuration.providerBundles)
        let found = try storage.read({ try $0.domains() })
        sweepSecrets(knowing: found)
        moveSecrets(of: found, catalogue)
        for record in try storage.read({ try $0.domains() }) { open(record, catalogue) }
    }

    func open(_ record: DomainRecord, _ catalogue: ProviderCatalogue) {
        do throws(DocumentError) {
            let bundle = try catalogue.bundle(record.provider)
            let (settings, folders): ([String: String], SandboxFolders)
            do {
                settings = try allSettings(of: record, bundle.manifest)
                folders = try self.folders(of: record.name, in: root, besides: catalogue)
            } catch {
                throw DocumentError(wrapping: error)
            }
            guard record.signIn == .done, !SignInSettings(bundle.manifest).isMissing(from: settings) else {
                domains.addBroken(
                    record.name, because: SignInState.signedOut(record.name),
                    settings: SignInSettings(bundle.manifest).others(of: record.settings))
                return
            }
            // The manifest may have changed since the domain was added.
            _ = try bundle.manifest.validate(settings: settings)
            let supervisor = try supervise(record, settings, bundle, folders)
            domains.add(makeDomain(record.name, bundle, record.rootID, supervisor))
        } catch {
            logger.warning("a domain cannot be used", metadata: ["domain": "\(record.name)", "error": "\(error)"])
            domains.addBroken(
                record.name, because: error.wrapped("The domain “\(record.name)” cannot be used: \(error.message)"))
        }
    }

    func catalogue() async throws(DocumentError) -> ProviderCatalogue {
        let configuration = configuration
        return try await storage.run { _ in
            ProviderCatalogue(folders: configuration.providerFolders, explicit: configuration.providerBundles)
        }
    }

    /// The remote is not as it was thought to be: its changes are asked for.
    func followInBackground(_ name: DomainName) {
        // However often it is asked for, one follows.
        guard let domain = domains.find(name), domain.signal() else { return }
        work.add { [self] in await follower.follow(domain) }
    }

    func makeDomain(
        _ name: DomainName, _ bundle: ProviderBundle, _ rootID: ItemIdentifier, _ supervisor: ProviderSupervisor,
        isRunning: Bool = false
    ) -> Domain {
        // Where that cannot be read, folders are listed until the feed was.
        let isFollowed = (try? storage.read { try $0.domain(name)?.anchor != nil }) ?? false
        return Domain(
            name: name, bundle: bundle, rootID: rootID, supervisor: supervisor, isRunning: isRunning,
            isFollowed: isFollowed,
            signIn: SignInState { [events] in events.domainChanged(name) },
            reach: RemoteReach { [events] in events.domainChanged(name) }, failures: failures)
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

extension DocumentHost {
    /// What of the storage root is a domain's provider's, made when it is missing. Blocks.
    func folders(
        of domain: DomainName, in root: StorageRoot, besides catalogue: ProviderCatalogue
    ) throws -> SandboxFolders {
        SandboxFolders(
            state: try root.providerFolder(of: domain), temporary: try root.emptyTemporaryFolder(of: domain),
            fetch: try root.staging.folder(for: .fetching(domain)),
            send: try root.staging.folder(for: .sending(domain)), storageRoot: root.path,
            home: getenv("HOME").map { FilePath(platformString: $0) },
            software: configuration.providerFolders + configuration.providerBundles
                + catalogue.bundles.map(\.folder) + [configuration.trampoline.removingLastComponent()],
            programs: catalogue.bundles.map(\.executable), socketFolder: configuration.socketFolder)
    }

    /// Takes the domain's provider into the fleet; its first use starts it.
    ///
    /// - Parameter complete: all settings, with what it signs in with.
    func supervise(
        _ record: DomainRecord, _ complete: [String: String], _ bundle: ProviderBundle, _ folders: SandboxFolders
    ) throws(DocumentError) -> ProviderSupervisor {
        let name = record.name
        let settings = SessionSettings(
            providerID: record.provider, domain: name, settings: complete, stateFolder: folders.state.string,
            storageRoot: root.path.string, stagingFolder: root.path.appending(".docent/staging").string,
            deviceName: self.configuration.deviceName)
        var configuration = ProviderSupervisor.Configuration(bundle: bundle, settings: settings)
        configuration.folders = folders
        configuration.idleAfter = self.configuration.providerIdleTime
        configuration.postMortems = providerRecords.postMortems
        configuration.recordings = providerRecords.recordings(of: name)
        let (domains, sender, events, pinKeeper, work) = (domains, sender, events, pinKeeper, work)
        let (interrupted, backlog, clearing, departures) = (interrupted, backlog, clearing, departures)
        let (sideKeeper, outdated) = (sideKeeper, outdatedContents)
        return try fleet.add(configuration, handler: ProviderLine(domain: name, host: self)) { event in
            domains.find(name)?.took(event)
            events.domainChanged(name)
            // What could not be sent to the process before may be possible with this one.
            if case .started = event {
                try? sender.enqueueAll(of: name)
                work.add { await pinKeeper.look(at: name) }
                work.add { await outdated.look(at: name) }
                work.add { await interrupted.settle(name) }
                work.add { await departures.resume(name) }
                work.add { await clearing.resume(name) }
                work.add { await backlog.settle(name) }
                sideKeeper.resolved(name)
            }
        }
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
