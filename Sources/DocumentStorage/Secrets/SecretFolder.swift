internal import CDocentShims
package import DocumentModel
internal import Glibc

/// Secrets in files that their owner alone can read: `secrets/<domain>` in the host's folder, where no provider can look.
package final class SecretFolder: SecretStore {
    /// In the place of secrets that are in the keyring.
    private static let pointer = "docent secrets in the keyring 1\n"
    /// No domain has a name that begins like that.
    private static let unfinished = ".new-"
    /// No domain has this name, either.
    private static let ownerFile = ".keyring"
    /// Before a domain's name: the keyring has something of it that is not used any more.
    private static let stale = ".stale-"
    private static let largest = 1_048_576

    private let folder: DirectoryHandle

    init(in own: DirectoryHandle) throws {
        folder = try own.makingFolders(["secrets"])
        var cutOff: [String] = []
        try folder.forEachEntry { name, kind in
            if kind == .file, let name, name.hasPrefix(Self.unfinished) { cutOff.append(name) }
        }
        for name in cutOff { _ = try folder.unlink(name) }
    }

    enum Entry: Hashable {
        case secrets([String: String])
        /// They are in the desktop's keyring.
        case inKeyring
    }

    package func secrets(of domain: DomainName) throws -> [String: String]? {
        guard case .secrets(let secrets) = try entry(of: domain) else { return nil }
        return secrets
    }

    func entry(of domain: DomainName) throws -> Entry? {
        guard let file = try folder.file(domain.rawValue) else { return nil }
        let status = try file.status()
        guard status.isFile, status.raw.mode & 0o077 == 0 else {
            throw DocumentError(
                .notPermitted,
                "\(file.name) can be read by others: see who has read the password, change it, and sign in anew (docent login \(domain))."
            )
        }
        let bytes = try file.read(upTo: Self.largest)
        let text = String(validating: bytes, as: UTF8.self) ?? ""
        if text == Self.pointer { return .inKeyring }
        guard let secrets = SecretText.parse(text) else {
            throw DocumentError(
                .localStorage, "\(file.name) is damaged: sign in anew (docent login \(domain)).")
        }
        return .secrets(secrets)
    }

    /// Whole or not at all: it gets its name when it is on disk.
    package func keep(_ secrets: [String: String], of domain: DomainName) throws {
        try write(try SecretText.text(of: secrets), to: domain.rawValue)
    }

    /// What this root's secrets are told apart by in a keyring that other roots use, too; the root may be moved.
    func keyringOwner() throws -> String {
        if let file = try folder.file(Self.ownerFile) {
            let owner = String(decoding: try file.read(upTo: 64), as: UTF8.self)
            if owner.utf8.count == 32 { return owner }
        }
        let owner = (0..<16).map { _ in Self.twoDigits(UInt8.random(in: .min ... .max)) }.joined()
        try write(owner, to: Self.ownerFile)
        return owner
    }

    private static func twoDigits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Says that the keyring has them, in the place of what was kept here.
    func pointToKeyring(for domain: DomainName) throws {
        try write(Self.pointer, to: domain.rawValue)
    }

    /// Remembers that what the keyring has of a domain is to go.
    func markStale(_ domain: DomainName) throws {
        try write("", to: Self.stale + domain.rawValue)
    }

    func isStale(_ domain: DomainName) throws -> Bool {
        try folder.status(Self.stale + domain.rawValue) != nil
    }

    func unmarkStale(_ domain: DomainName) throws {
        guard try folder.unlink(Self.stale + domain.rawValue) else { return }
        try folder.flush()
    }

    func staleDomains() throws -> [DomainName] {
        var found: [DomainName] = []
        try folder.forEachEntry { name, kind in
            guard kind == .file, let name, name.hasPrefix(Self.stale) else { return }
            if let domain = try? DomainName(String(name.dropFirst(Self.stale.count))) { found.append(domain) }
        }
        return found.sorted()
    }

    private func write(_ text: String, to name: String) throws {
        let temporary = Self.unfinished + name
        _ = try folder.unlink(temporary)
        guard let file = try folder.makeFile(temporary) else {
            throw DocumentError(
                .localStorage, "\(folder.path)/\(temporary) could not be made: remove it and try again.")
        }
        try file.setMode(0o600)
        try file.write(Array(text.utf8))
        try file.flush()
        _ = try folder.rename(temporary, to: folder, name, .replacing)
        try folder.flush()
    }

    package func remove(of domain: DomainName) throws {
        guard try folder.unlink(domain.rawValue) else { return }
        try folder.flush()
    }

    /// Those that are only marked are none of them: no domain's name begins as a mark does.
    package func domains() throws -> [DomainName] {
        var found: [DomainName] = []
        try folder.forEachEntry { name, kind in
            if kind == .file, let name, let domain = try? DomainName(name) { found.append(domain) }
        }
        return found.sorted()
    }
}
