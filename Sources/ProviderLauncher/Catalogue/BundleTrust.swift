internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// Whether a file may decide what this user runs: nobody but the user and root can have changed it.
struct BundleTrust: Sendable {
    var user: uid_t
    /// The user's own group; elsewhere, a file that its group may write can be changed by others.
    var group: gid_t

    static var current: BundleTrust { BundleTrust(user: geteuid(), group: getegid()) }

    /// Checks a file or folder, and that nobody else can put another one in its place.
    ///
    /// - Parameter what: how a message calls it: `the program`.
    /// - Throws: ``DocumentError`` with the code `notConfigured`.
    func check(_ path: FilePath, _ what: String) throws(DocumentError) {
        let real = try Self.real(path, what)
        let stat = try Self.stat(real, what)
        guard stat.userID.rawValue == user || stat.userID.rawValue == 0 else {
            throw DocumentError(
                .notConfigured,
                "“\(real)”, \(what), belongs to user \(stat.userID.rawValue), who is neither you nor root: change its owner, or remove the provider."
            )
        }
        let mode = stat.permissions
        let groupMayWrite =
            mode.contains(.groupWrite) && stat.groupID.rawValue != group && stat.groupID.rawValue != 0
        guard !mode.contains(.otherWrite), !groupMayWrite else {
            let remedy = mode.contains(.otherWrite) ? "o-w" : "g-w"
            throw DocumentError(
                .notConfigured,
                "“\(real)”, \(what), can be changed by other users: run “chmod \(remedy) \(real)”, or remove the provider."
            )
        }
        try checkFolders(above: real, what)
    }

    private func checkFolders(above path: FilePath, _ what: String) throws(DocumentError) {
        var folder = path.removingLastComponent()
        while !folder.isEmpty {
            let mode = try Self.stat(folder, what).permissions
            // In a folder like /tmp the sticky bit keeps others from renaming what is not theirs.
            if mode.contains(.otherWrite), !mode.contains(.saveText) {
                throw DocumentError(
                    .notConfigured,
                    "“\(path)”, \(what), lies in “\(folder)”, which other users can change: run “chmod o-w \(folder)”, or move the provider."
                )
            }
            guard folder.lastComponent != nil else { return }
            folder.removeLastComponent()
        }
    }

    /// The path without symbolic links.
    static func real(_ path: FilePath, _ what: String) throws(DocumentError) -> FilePath {
        let resolved = path.withPlatformString { realpath($0, nil) }
        guard let resolved else {
            throw DocumentError(
                .notConfigured, "“\(path)”, \(what), cannot be reached: \(Errno(rawValue: errno)).")
        }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    static func stat(_ path: FilePath, _ what: String) throws(DocumentError) -> Stat {
        do {
            return try path.stat()
        } catch {
            throw DocumentError(.notConfigured, "“\(path)”, \(what), cannot be examined: \(error).")
        }
    }
}
