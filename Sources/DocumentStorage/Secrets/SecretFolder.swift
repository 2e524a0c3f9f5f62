internal import CDocentShims
package import DocumentModel
internal import Glibc

/// Secrets in files that their owner alone can read: `secrets/<domain>` in the host's folder, where no provider can look.
package final class SecretFolder: SecretStore {
    private static let header = "docent secrets 1"
    /// No domain has a name that begins like that.
    private static let unfinished = ".new-"
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

    package func secrets(of domain: DomainName) throws -> [String: String]? {
        guard let file = try folder.file(domain.rawValue) else { return nil }
        let status = try file.status()
        guard status.isFile, status.raw.mode & 0o077 == 0 else {
            throw DocumentError(
                .notPermitted,
                "\(file.name) can be read by others: see who has read the password, change it, and sign in anew (docent login \(domain))."
            )
        }
        let bytes = try file.read(upTo: Self.largest)
        guard let text = String(validating: bytes, as: UTF8.self), let secrets = Self.parse(text) else {
            throw DocumentError(
                .localStorage, "\(file.name) is damaged: sign in anew (docent login \(domain)).")
        }
        return secrets
    }

    /// Whole or not at all: it gets its name when it is on disk.
    package func keep(_ secrets: [String: String], of domain: DomainName) throws {
        let text = try Self.text(of: secrets)
        let temporary = Self.unfinished + domain.rawValue
        _ = try folder.unlink(temporary)
        guard let file = try folder.makeFile(temporary) else {
            throw DocumentError(
                .localStorage, "\(folder.path)/\(temporary) could not be made: remove it and try again.")
        }
        try file.setMode(0o600)
        try file.write(Array(text.utf8))
        try file.flush()
        _ = try folder.rename(temporary, to: folder, domain.rawValue, .replacing)
        try folder.flush()
    }

    package func remove(of domain: DomainName) throws {
        guard try folder.unlink(domain.rawValue) else { return }
        try folder.flush()
    }

    package func domains() throws -> [DomainName] {
        var found: [DomainName] = []
        try folder.forEachEntry { name, kind in
            if kind == .file, let name, let domain = try? DomainName(name) { found.append(domain) }
        }
        return found.sorted()
    }

    // MARK: Format

    /// A line for each, behind a first line that says what it is.
    private static func text(of secrets: [String: String]) throws -> String {
        var lines = [header]
        for (key, value) in secrets.sorted(by: { $0.key < $1.key }) {
            guard !key.utf8.contains(UInt8(ascii: "=")), !(key + value).utf8.contains(UInt8(ascii: "\n")) else {
                throw DocumentError(.invalidArgument, "The setting “\(key)” has to be one line.")
            }
            lines.append("\(key)=\(value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func parse(_ text: String) -> [String: String]? {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count >= 2, lines.first.map({ String($0) }) == header, lines.popLast()?.isEmpty == true else {
            return nil
        }
        var secrets: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")), let key = String(line[..<sign]),
                let value = String(line[line.index(after: sign)...])
            else { return nil }
            secrets[key] = value
        }
        return secrets
    }
}
