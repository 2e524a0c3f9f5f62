public import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher

extension DocumentHost {
    /// Gives a domain what it signs in with, has its provider try it, and lets go on what waited for it.
    ///
    /// - Parameters:
    ///   - given: settings that are for signing in, and no others.
    ///   - prompting: asks whoever signs in what the provider wants to know beside that; nil when nobody can be asked.
    /// - Throws: `notAuthenticated` when it is not accepted, and what else the provider says of it; then all is as it was.
    ///   `unsyncedEdits` when somebody else signs in than the one whose changes wait to be sent.
    public func signIn(
        to name: DomainName, settings given: [String: String], prompting: PromptHandler? = nil
    ) async throws(DocumentError) -> DomainDescription {
        try await domainLocks.withLock(name) { () async throws(DocumentError) in
            let record = try self.record(of: name)
            let bundle = try await catalogue().bundle(record.provider)
            let kinds = SignInSettings(bundle.manifest)
            let known = kinds.those(of: record.settings).filter { !$0.value.isEmpty }
                .merging(try await readableSecrets(of: name)) { $1 }
            let wanted = try kinds.credentials(given: given, known: known)
            let complete = try bundle.manifest.validate(
                settings: kinds.others(of: record.settings).merging(wanted) { $1 })
            let credentials = kinds.those(of: complete)
            if kinds.isSomebodyElse(credentials, than: known) { try refuseUnsent(of: name, before: .otherAccount) }
            if let prompting { prompts.begin(name, prompting) }
            secrets.beginTrial(of: name)
            defer {
                prompts.end(name)
                secrets.endTrial(of: name)
            }
            do throws(DocumentError) {
                if let domain = domains.find(name) {
                    try await tryAnew(domain, record, complete, credentials)
                    domain.signIn.accepted()
                } else {
                    try await open(record, bundle, complete, credentials)
                }
            } catch {
                var refusal = error
                refusal.message = "“\(name)” was not signed in, and is as it was: \(error.message)"
                throw refusal
            }
            logger.notice("signed in", metadata: ["domain": "\(name)"])
            events.domainChanged(name)
            resolved(name)
            followInBackground(name)
            return try await description(of: name)
        }
    }

    /// What is damaged, or can be read by others, is replaced by what is given now.
    private func readableSecrets(of name: DomainName) async throws(DocumentError) -> [String: String] {
        do throws(DocumentError) {
            return try await secrets(of: name)
        } catch {
            guard error.code == .notPermitted || error.code == .localStorage else { throw error }
            logger.warning(
                "what a domain signed in with is not used", metadata: ["domain": "\(name)", "error": "\(error)"])
            return [:]
        }
    }

    /// The domain's provider is asked with the new settings, and goes on with them, when they are kept, or with the old ones.
    private func tryAnew(
        _ domain: Domain, _ record: DomainRecord, _ complete: [String: String], _ credentials: [String: String]
    ) async throws(DocumentError) {
        let old = domain.supervisor.settings
        let problem = domain.signIn.problem
        var new = old
        new.settings = complete
        // Whoever else asks meanwhile is served with the same provider, so another top folder is refused with the hello.
        domain.supervisor.reset(settings: new, expecting: record.rootID)
        do throws(DocumentError) {
            _ = try await ProviderSession(SignInTrial(supervisor: domain.supervisor)).item(record.rootID)
            try await keep(credentials, of: domain.name)
        } catch {
            // A process with the old settings finds what it had kept.
            secrets.endTrial(of: domain.name)
            domain.supervisor.reset(settings: old)
            // What others were told meanwhile was about the new ones. Where the old ones were refused, they are not tried
            // once more.
            if let problem {
                domain.signIn.refused(problem)
            } else {
                domain.signIn.accepted()
                resolved(domain.name)
            }
            throw error
        }
    }

    private static var otherRoot: DocumentError {
        DocumentError(
            .invalidArgument,
            "There is another top folder with that sign-in: sign out first, and what is here of the old one goes.")
    }

    /// Nobody was signed in: the domain is made usable.
    private func open(
        _ record: DomainRecord, _ bundle: ProviderBundle, _ complete: [String: String], _ credentials: [String: String]
    ) async throws(DocumentError) {
        let name = record.name
        let catalogue = try await catalogue()
        let folders = try await storage.run { store throws in
            try self.folders(of: name, in: store.root, besides: catalogue)
        }
        let supervisor = try supervise(record, complete, bundle, folders)
        do throws(DocumentError) {
            var signedIn = record
            signedIn.settings = SignInSettings(bundle.manifest).others(of: complete)
            signedIn.signIn = .done
            signedIn.rootID = try await supervisor.withProvider { live throws(DocumentError) in live.rootID }
            if record.signIn != .needed, signedIn.rootID != record.rootID { throw Self.otherRoot }
            let final = signedIn
            _ = try await ProviderSession(SignInTrial(supervisor: supervisor)).item(final.rootID)
            try await keep(credentials, of: name)
            try await storage.write { try $0.updateDomain(final) }
            domains.add(
                makeDomain(
                    name, bundle, final.rootID, supervisor,
                    isRunning: ProviderState(supervisor.status.state) == .running))
        } catch {
            // Told to end right away it would not be known to have failed.
            await supervisor.waitWhileDying(atMost: .seconds(10))
            await fleet.remove(name)
            throw error
        }
    }

    /// Forgets what a domain signs in with, its placeholders and what of its contents is here; the domain stays.
    ///
    /// - Throws: `unsyncedEdits` or `inConflict`, and nothing is done, when something is here that is nowhere else and
    ///   `droppingUnsent` is false (AUTH-6); `busy` when documents are in use.
    public func signOut(of name: DomainName, droppingUnsent: Bool) async throws(DocumentError) {
        try await domainLocks.withLock(name) { () async throws(DocumentError) in
            let record = try self.record(of: name)
            guard record.signIn != .needed else { return }
            // Only its manifest tells which settings go.
            let manifest = try await catalogue().bundle(record.provider).manifest
            guard !SignInSettings(manifest).isEmpty else {
                throw DocumentError(
                    .invalidArgument,
                    "\(manifest.name) (\(manifest.identifier)) needs no sign-in: “docent domain remove \(name)” forgets the domain."
                )
            }
            if !droppingUnsent {
                try refuseUnsent(of: name, before: .signOut)
                try await refuseUntold(of: name)
            }
            let (kept, secrets) = (keptSecrets, secrets)
            try await onSecretThread { try kept.checkRemoval(of: name) }
            if let domain = domains.find(name) {
                guard !broker.isClaimed(ItemKey(domain: name, id: domain.rootID), contentsToo: true) else {
                    throw DocumentError(.busy, "Documents of \(name) are in use; end the accesses first.")
                }
                domains.remove(name)
                domains.addBroken(name, because: DocumentError(.busy, "“\(name)” is being signed out just now."))
                await fleet.remove(name)
            }
            do throws(DocumentError) {
                try await storage.run {
                    try $0.signOut(name, discardingEdits: droppingUnsent, forgetting: secrets)
                }
            } catch {
                try await reopen(name, after: error)
                throw error
            }
            interrupted.forget(name)
            backlog.forget(name)
            localChanges.removed(name)
            lookout.removed(name)
            discovery.removed(name)
            readAhead.removed(name)
            await providerRecords.forget(name)
            domains.remove(name)
            domains.addBroken(
                name, because: SignInState.signedOut(name),
                settings: SignInSettings(manifest).others(of: record.settings))
            logger.notice("signed out", metadata: ["domain": "\(name)"])
            events.domainChanged(name)
        }
    }

    /// The domain goes on; unless its contents have gone already, and only the rest is to be done.
    private func reopen(_ name: DomainName, after error: DocumentError) async throws(DocumentError) {
        let record = try self.record(of: name)
        guard record.signIn == .done else {
            domains.addBroken(
                name,
                because: error.wrapped("“\(name)” is signed out only in part; try again: docent logout \(name)"))
            return
        }
        try await reopen(record)
        resolved(name)
    }

    private enum Purpose {
        case signOut, otherAccount
    }

    /// What was removed here is known nowhere else, either.
    private func refuseUntold(of name: DomainName) async throws(DocumentError) {
        guard backlog.count(of: name) > 0 else { return }
        await backlog.settle(name)
        let left = backlog.count(of: name)
        guard left > 0 else { return }
        throw DocumentError(
            .unsyncedEdits,
            "\(name) has removals and new names that its provider has not heard of yet, \(left) of them: wait until it can be reached, or lose them with: docent logout \(name) --drop-unsent"
        )
    }

    private func refuseUnsent(of name: DomainName, before purpose: Purpose) throws(DocumentError) {
        let (unsent, location) = try storage.read { index -> (IndexedItem?, Location?) in
            let item =
                try [ItemState.changed, .sending, .conflict].flatMap {
                    try index.items(in: $0, of: name, limit: 1)
                }.first ?? index.arrivingFolders(of: name).first
                ?? index.unansweredArrangement(in: name).flatMap { try index.item($0, in: name) }
            return (item, try item.flatMap { try index.location(of: $0.id, in: name) })
        }
        guard let unsent else { return }
        let place = location ?? Location(domain: name)
        switch (purpose, unsent.state) {
        case (.signOut, .conflict):
            throw DocumentError(
                .inConflict,
                "\(place) has a conflict that was not resolved: docent resolve \(place), or lose what was changed here with: docent logout \(name) --drop-unsent",
                itemID: unsent.id)
        case (.signOut, _):
            throw DocumentError(
                .unsyncedEdits,
                "\(place) has changes that were not sent yet: wait until they are sent, or lose them with: docent logout \(name) --drop-unsent",
                itemID: unsent.id)
        case (.otherAccount, _):
            throw DocumentError(
                .unsyncedEdits,
                "\(place) has changes that were not sent yet, and they would be sent as somebody else: sign in as before, or sign out first (docent logout \(name)).",
                itemID: unsent.id)
        }
    }

    func record(of name: DomainName) throws(DocumentError) -> DomainRecord {
        if let record = try storage.read({ try $0.domain(name) }) { return record }
        _ = try domains.domain(name)
        throw DocumentError(.notConfigured, "There is no domain “\(name)”.")
    }
}
