package import DocumentModel
package import Logging
import Synchronization

/// What domains sign in with, in the keyring of the desktop or in files, as it was chosen.
///
/// The host's folder knows of each domain: it has the secrets themselves, or says that they are in the keyring. So nothing is
/// taken for gone because a keyring is locked, and of two places one is right.
package final class KeptSecrets: SecretStore {
    package enum Choice: String, Sendable, CaseIterable {
        /// In the keyring where one answers and is unlocked, else in files.
        case auto
        case keyring
        case files
    }

    private let folder: SecretFolder
    private let service: SecretService
    private let choice: Choice
    private let logger: Logger
    /// What is moved is not what somebody replaces meanwhile. Held while the keyring is asked, so by threads that may block.
    private let turn = Mutex(())

    package convenience init(_ folder: SecretFolder, choice: Choice, logger: Logger) throws {
        self.init(folder, SecretService(owner: try folder.keyringOwner()), choice: choice, logger: logger)
    }

    init(_ folder: SecretFolder, _ service: SecretService, choice: Choice, logger: Logger) {
        self.folder = folder
        self.service = service
        self.choice = choice
        self.logger = logger
    }

    /// Brings what is in files to the keyring, or back, where one of them was chosen. What does not go stays where it is.
    ///
    /// With `auto` nothing moves: the keyring that answers may be one that nobody will unlock again, as that of a session for
    /// a test. What the keyring has and nobody uses any more goes in each case.
    package func move() {
        for domain in (try? folder.domains()) ?? [] {
            do {
                guard let place = try turn.withLock({ _ in try move(domain) }) else { continue }
                logger.notice(
                    "what a domain signs in with was moved", metadata: ["domain": "\(domain)", "to": "\(place)"])
            } catch {
                logger.warning(
                    "what a domain signs in with stays where it is",
                    metadata: ["domain": "\(domain)", "error": "\(error)"])
            }
        }
        for domain in (try? folder.staleDomains()) ?? [] { turn.withLock { _ in removeStale(domain) } }
    }

    /// - Returns: where to; nil when it lies where it should.
    private func move(_ domain: DomainName) throws -> String? {
        switch (try folder.entry(of: domain), choice) {
        case (.inKeyring, .files):
            guard let secrets = try find(domain) else { return nil }
            try keepInFile(secrets, of: domain)
            removeStale(domain)
            return "a file"
        case (.secrets(let secrets), .keyring):
            try keepInKeyring(secrets, of: domain)
            return "the keyring"
        default: return nil
        }
    }

    package func secrets(of domain: DomainName) throws -> [String: String]? {
        try turn.withLock { _ in try find(domain) }
    }

    private func find(_ domain: DomainName) throws -> [String: String]? {
        switch try folder.entry(of: domain) {
        case nil: return nil
        case .secrets(let secrets): return secrets
        case .inKeyring:
            guard let text = try service.text(of: domain) else {
                throw DocumentError(
                    .localStorage,
                    "The keyring (Secret Service) does not have what “\(domain)” signs in with any more: sign in anew (docent login \(domain))."
                )
            }
            guard let secrets = SecretText.parse(text) else {
                throw DocumentError(
                    .localStorage,
                    "What the keyring keeps of “\(domain)” is damaged: sign in anew (docent login \(domain)).")
            }
            return secrets
        }
    }

    package func keep(_ secrets: [String: String], of domain: DomainName) throws {
        try turn.withLock { _ in
            guard choice != .files else {
                try keepInFile(secrets, of: domain)
                return
            }
            do {
                try service.check()
                try keepInKeyring(secrets, of: domain)
            } catch {
                guard choice == .auto else { throw error }
                try keepInFile(secrets, of: domain)
                logger.notice(
                    "what a domain signs in with is kept in a file, for this user alone: the keyring cannot be used",
                    metadata: ["domain": "\(domain)", "error": "\(error)"])
            }
        }
    }

    package func remove(of domain: DomainName) throws {
        try turn.withLock { _ in
            switch try? folder.entry(of: domain) {
            case .inKeyring: try service.remove(of: domain)
            // One may be left there by an earlier version of Docent, which left no marks.
            case .secrets where choice != .files: try? service.remove(of: domain)
            default: break
            }
            try folder.remove(of: domain)
            if (try? folder.isStale(domain)) == true { removeStale(domain) }
        }
    }

    /// - Throws: why what is kept of the domain could not be removed now.
    package func checkRemoval(of domain: DomainName) throws {
        try turn.withLock { _ in
            if case .inKeyring = try? folder.entry(of: domain) { try service.check() }
        }
    }

    package func domains() throws -> [DomainName] { try folder.domains() }

    /// What the keyring has of the domain is not used from then on, and is to go.
    private func keepInFile(_ secrets: [String: String], of domain: DomainName) throws {
        if case .inKeyring = try? folder.entry(of: domain) { try folder.markStale(domain) }
        try folder.keep(secrets, of: domain)
    }

    /// The mark stays until the keyring has nothing of the domain that is not used.
    private func removeStale(_ domain: DomainName) {
        do {
            // Where the entry points there, the file was never written, or the keyring was given the secrets since.
            let isUsed = try folder.entry(of: domain) == SecretFolder.Entry.inKeyring
            if !isUsed { try service.remove(of: domain) }
            try folder.unmarkStale(domain)
        } catch {
            logger.notice(
                "what the keyring has of a domain, and is not used any more, could not be removed from there yet",
                metadata: ["domain": "\(domain)", "error": "\(error)"])
        }
    }

    /// The file goes when the keyring was seen to have it.
    private func keepInKeyring(_ secrets: [String: String], of domain: DomainName) throws {
        let text = try SecretText.text(of: secrets)
        // It may take them and be gone before it says so.
        try folder.markStale(domain)
        try service.keep(text, of: domain)
        guard try service.text(of: domain) == text else {
            throw DocumentError(
                .localStorage,
                "The keyring (Secret Service) took what “\(domain)” signs in with, and does not give it back.")
        }
        try folder.pointToKeyring(for: domain)
        try? folder.unmarkStale(domain)
    }
}
