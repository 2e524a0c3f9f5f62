import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher

extension DocumentHost {
    /// What a domain signs in with; empty when nothing is kept.
    func secrets(of name: DomainName) async throws(DocumentError) -> [String: String] {
        let secrets = secrets
        return try await storage.run { _ in try secrets.secrets(of: name) } ?? [:]
    }

    /// - Parameter credentials: nothing is kept of a domain that signs in with nothing.
    func keep(_ credentials: [String: String], of name: DomainName) async throws(DocumentError) {
        let secrets = secrets
        try await storage.run { _ in
            if credentials.isEmpty { try secrets.remove(of: name) } else { try secrets.keep(credentials, of: name) }
        }
    }

    func forgetSecrets(of name: DomainName) async {
        let secrets = secrets
        do throws(DocumentError) {
            try await storage.run { _ in try secrets.remove(of: name) }
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
