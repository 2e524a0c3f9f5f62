import Foundation

/// A server of which it is known what it guarantees. To find that out takes a while, and is not what every test is about.
enum KnownServer: String, CaseIterable {
    /// Its conditions are kept.
    case lighttpd
    /// Documents are claimed.
    case apache, nginx, rclone
    /// The same; but now and then it lets two believe that they have moved one folder.
    case wsgidav

    /// Those that are tried: all, or those that `DOCENT_TEST_SERVERS` names, as `scripts/test` does, which tries all of them in
    /// another way.
    static let tried: [KnownServer] = {
        guard let names = ProcessInfo.processInfo.environment["DOCENT_TEST_SERVERS"] else { return allCases }
        return names.split(separator: ",").map { name in
            guard let server = KnownServer(rawValue: String(name)) else {
                preconditionFailure("DOCENT_TEST_SERVERS names “\(name)”, which is none of \(allCases).")
            }
            return server
        }
    }()

    /// Those that never let two win.
    static let reliable = tried.filter { $0 != .wsgidav }

    /// As it says in its answers.
    ///
    /// - Parameter url: where it is, when it runs.
    fileprivate func software(_ machine: Machine, at url: String) throws -> String {
        let said =
            switch self {
            case .lighttpd, .nginx: try machine.run("/usr/sbin/" + rawValue, ["-v"])
            case .apache, .rclone, .wsgidav:
                try machine.run("/usr/bin/curl", ["-s", "-i", "-X", "PROPFIND", "-H", "Depth: 0", url])
            }
        if self == .lighttpd || self == .nginx {
            // “lighttpd/1.4.69 (ssl) - a light and fast webserver”, “nginx version: nginx/1.22.1”
            let words = (said.output + said.errors).split { $0.isWhitespace }
            if let name = words.first(where: { $0.hasPrefix(rawValue + "/") }) { return String(name) }
        } else if said.status == 0 {
            let lines = said.output.split(whereSeparator: \.isNewline).prefix { !$0.isEmpty }
            let line = lines.first { $0.lowercased().hasPrefix("server:") }
            return line.map { $0.dropFirst("server:".count).trimmingCharacters(in: .whitespaces) } ?? "(unnamed)"
        }
        throw Machine.Failure(description: "\(rawValue) does not say its version")
    }
}

extension Machine {
    /// As if it had been found out before.
    ///
    /// - Parameter url: of the domain “web”, which is to be added.
    func believe(_ server: KnownServer, of url: String) throws {
        let folder = try findings()
        let verdict =
            switch server {
            case .lighttpd: ["conditional-changes", "exact tags"]
            case .rclone: ["folder-moves", "exact tags"]
            case .apache, .nginx, .wsgidav: ["folder-moves", "tags that need time"]
            }
        try believe(verdict, of: "\(url) \(try server.software(self, at: url))", in: folder)
    }

    /// The same of a server that says nothing of itself, and keeps conditions.
    func believeUnnamed(of url: String) throws {
        try believe(["conditional-changes", "exact tags"], of: "\(url) (unnamed)", in: try findings())
    }

    private func believe(_ verdict: [String], of subject: String, in folder: String) throws {
        let lines = ["docent webdav server 2", subject] + verdict + ["As known.", ""]
        try write(lines.joined(separator: "\n"), to: folder + "/server.txt")
    }

    /// Where the domain “web” keeps what was found out.
    private func findings() throws -> String {
        // The storage root is made by a host.
        if !FileManager.default.fileExists(atPath: root + "/.docent") { try succeed("domain", "list") }
        let folder = root + "/.docent/providers/web"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }
}
