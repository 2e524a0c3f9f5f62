public import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Domains that are added and removed.
extension DocumentHost {
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
}
