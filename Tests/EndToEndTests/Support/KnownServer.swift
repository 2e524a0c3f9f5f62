import Foundation

/// A server of which it is known what it guarantees. To find that out takes a while, and is not what every test is about.
enum KnownServer: String, CaseIterable {
    /// Its conditions are kept.
    case lighttpd
    /// Documents are claimed.
    case nginx

    /// As it says in its answers.
    fileprivate func software(_ machine: Machine) throws -> String {
        let said = try machine.run("/usr/sbin/" + rawValue, ["-v"])
        // “lighttpd/1.4.69 (ssl) - a light and fast webserver”, “nginx version: nginx/1.22.1”
        let words = (said.output + said.errors).split { $0.isWhitespace }
        guard let name = words.first(where: { $0.hasPrefix(rawValue + "/") }) else {
            throw Machine.Failure(description: "\(rawValue) does not say its version")
        }
        return String(name)
    }
}

extension Machine {
    /// As if it had been found out before.
    ///
    /// - Parameter url: of the domain “web”, which is to be added.
    func believe(_ server: KnownServer, of url: String) throws {
        // The storage root is made by a host.
        if !FileManager.default.fileExists(atPath: root + "/.docent") { try succeed("domain", "list") }
        let folder = root + "/.docent/providers/web"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let verdict =
            switch server {
            case .lighttpd: ["conditional-changes", "exact tags"]
            case .nginx: ["folder-moves", "tags that need time"]
            }
        let lines = ["docent webdav server 2", "\(url) \(try server.software(self))"] + verdict + ["As known.", ""]
        try write(lines.joined(separator: "\n"), to: folder + "/server.txt")
    }
}
