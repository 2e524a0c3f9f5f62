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
    ///
    /// Earlier hosts had all of them in the index: they are moved, and nothing is left of them there.
    func allSettings(of record: DomainRecord, _ manifest: Manifest) throws -> [String: String] {
        let kinds = SignInSettings(manifest)
        let inIndex = kinds.those(of: record.settings)
        guard !inIndex.isEmpty else {
            return record.settings.merging(try secrets.secrets(of: record.name) ?? [:]) { $1 }
        }
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
        let others = kinds.others(of: record.settings)
        do {
            try root.index.eraseDeleted()
            rest.settings = others
            try root.index.write { [rest] in try $0.updateDomain(rest) }
            logger.notice(
                "what a domain signs in with is kept apart from the index from now on",
                metadata: ["domain": "\(record.name)"])
        } catch {
            // What is empty stays as a mark, so that the next start tries it again.
            logger.warning(
                "what a domain signed in with could not be erased from the index yet",
                metadata: ["domain": "\(record.name)", "error": "\(error)"])
        }
        return others.merging(kept) { $1 }
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
