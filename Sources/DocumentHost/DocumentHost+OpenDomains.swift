import DocumentModel
import DocumentStorage
import DocumentWire
import Glibc
import Logging
import ProviderLauncher
import SystemPackage

/// Domains that are there, and their providers.
extension DocumentHost {
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
