import DocumentModel
import DocumentStorage
import DocumentTransport
import Logging
import ProviderLauncher

extension DocumentHost {
    /// What a domain signs in with; empty when nothing is kept.
    func secrets(of name: DomainName) async throws(DocumentError) -> [String: String] {
        let secrets = secrets
        return try await onSecretThread { try secrets.secrets(of: name) } ?? [:]
    }

    func keep(_ credentials: [String: String], of name: DomainName) async throws(DocumentError) {
        let secrets = secrets
        try await onSecretThread { try secrets.keep(credentials, of: name) }
    }

    /// What a domain's provider keeps for itself, by name.
    func ownSecrets(of name: DomainName) async throws(DocumentError) -> [String: [UInt8]] {
        let secrets = secrets
        return try await onSecretThread { try secrets.own(of: name) }
    }

    /// - Parameter value: empty to keep nothing under the name any more.
    func keepOwnSecret(_ value: [UInt8], named secret: String, of name: DomainName) async throws(DocumentError) {
        let secrets = secrets
        try await onSecretThread { try secrets.keepOwn(value, named: secret, of: name) }
    }

    /// Where keyrings are asked while documents are in use; when domains are opened and signed out, storage threads ask.
    func onSecretThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(DocumentError) -> Value {
        do {
            return try await secretThread.run(body)
        } catch {
            throw DocumentError(wrapping: error)
        }
    }

    func forgetSecrets(of name: DomainName) async {
        let secrets = secrets
        do throws(DocumentError) {
            try await onSecretThread { try secrets.remove(of: name) }
        } catch {
            logger.error(
                "what a domain signed in with could not be removed",
                metadata: ["domain": "\(name)", "error": "\(error)"])
        }
    }

    /// All settings of a domain, with what it signs in with. Blocks.
    func allSettings(of record: DomainRecord, _ manifest: Manifest) throws -> [String: String] {
        let kinds = SignInSettings(manifest)
        if let moved = try moveSecrets(of: record, kinds) { eraseMoved([moved]) }
        return kinds.others(of: record.settings).merging(try secrets.secrets(of: record.name) ?? [:]) { $1 }
    }

    /// Earlier hosts had all settings in the index: what is to sign in with is moved, and nothing is left of it there. The
    /// index is written anew once for all domains. Blocks.
    func moveSecrets(of records: [DomainRecord], _ catalogue: ProviderCatalogue) {
        var moved: [DomainRecord] = []
        for record in records {
            // What is wrong is found, and told, when the domain is opened.
            guard let kinds = (try? catalogue.bundle(record.provider)).map({ SignInSettings($0.manifest) }),
                let rest = try? moveSecrets(of: record, kinds)
            else { continue }
            moved.append(rest)
        }
        if !moved.isEmpty { eraseMoved(moved) }
    }

    /// - Returns: what is to be in the index of the domain; nil when there was nothing to move.
    private func moveSecrets(of record: DomainRecord, _ kinds: SignInSettings) throws -> DomainRecord? {
        let inIndex = kinds.those(of: record.settings)
        guard !inIndex.isEmpty else { return nil }
        // What was kept apart is newer; of who has signed out nothing is kept.
        let kept =
            record.signIn == .needed
            ? [:]
            : inIndex.filter { !$0.value.isEmpty }.merging(try secrets.secrets(of: record.name) ?? [:]) { $1 }
        if kept.isEmpty { try secrets.remove(of: record.name) } else { try secrets.keep(kept, of: record.name) }
        var rest = record
        // Emptied first, and away when it is erased: a host that ends in between does it again.
        rest.settings.merge(inIndex.mapValues { _ in "" }) { $1 }
        try root.index.write { [rest] in try $0.updateDomain(rest) }
        rest.settings = kinds.others(of: record.settings)
        return rest
    }

    private func eraseMoved(_ moved: [DomainRecord]) {
        let names = moved.map(\.name.rawValue).joined(separator: ", ")
        do {
            try root.index.eraseDeleted()
            try root.index.write { index in for record in moved { try index.updateDomain(record) } }
            logger.notice(
                "what domains sign in with is kept apart from the index from now on", metadata: ["domains": "\(names)"])
        } catch {
            // What is empty stays as a mark, so that the next start tries it again.
            logger.warning(
                "what domains signed in with could not be erased from the index yet",
                metadata: ["domains": "\(names)", "error": "\(error)"])
        }
    }

    /// Moves what is kept to where it is to be.
    func moveKeptSecrets() async {
        let kept = keptSecrets
        _ = try? await onSecretThread { kept.move() }
    }

    /// Opens the domains whose keyring could not be used, as soon as it can.
    func openWhenKeyringAnswers() async {
        var pause = Duration.seconds(1)
        while true {
            // What cannot be read now can be later.
            let waiting = try? storage.read({ try $0.domains() }).filter(waitsForKeyring)
            if waiting?.isEmpty == true { return }
            pause = min(pause * 2, .seconds(30))
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            for name in waiting?.map(\.name) ?? [] where (try? await secrets(of: name)) != nil {
                try? await openWhatWaits(name)
            }
        }
    }

    private func openWhatWaits(_ name: DomainName) async throws(DocumentError) {
        try await domainLocks.withLock(name) { () async throws(DocumentError) in
            let record = try self.record(of: name)
            guard waitsForKeyring(record) else { return }
            let catalogue = try await catalogue()
            try await storage.run { [self] _ in open(record, catalogue) }
            guard domains.find(name) != nil else { return }
            events.domainChanged(name)
            resolved(name)
            followInBackground(name)
        }
    }

    private func waitsForKeyring(_ record: DomainRecord) -> Bool {
        record.signIn == .done && domains.find(record.name) == nil
            && domains.problem(of: record.name)?.code == .localStorage
    }

    /// As when the host starts, on a thread that may block.
    func reopen(_ record: DomainRecord) async throws(DocumentError) {
        let catalogue = try await catalogue()
        try await storage.run { [self] _ in open(record, catalogue) }
        if waitsForKeyring(record) { work.add { [self] in await openWhenKeyringAnswers() } }
    }

    /// What is kept of domains that are gone goes: a host ended in between. Blocks.
    func sweepSecrets(knowing records: [DomainRecord]) {
        do {
            let signedIn = Set(records.filter { $0.signIn != .needed }.map(\.name))
            for name in try secrets.domains() where !signedIn.contains(name) { try secrets.remove(of: name) }
        } catch {
            logger.error("what is kept to sign in with could not be looked through", metadata: ["error": "\(error)"])
        }
    }
}
