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
        let groupMayWrite = mode.contains(.groupWrite) && isForeign(group: stat.groupID.rawValue)
        guard !mode.contains(.otherWrite), !groupMayWrite else {
            let remedy = mode.contains(.otherWrite) ? "o-w" : "g-w"
            throw DocumentError(
                .notConfigured,
                "“\(real)”, \(what), can be changed by other users: run “chmod \(remedy) \(real)”, or remove the provider."
            )
        }
        try checkFolders(above: real, what)
    }

    private func isForeign(group: gid_t) -> Bool { group != self.group && group != 0 }

    private func checkFolders(above path: FilePath, _ what: String) throws(DocumentError) {
        // As bytes, of a path without links: otherwise it is taken apart and put together again at each step, and all
        // bundles are checked when a domain is added.
        var bytes = path.withPlatformString { Array(UnsafeBufferPointer(start: $0, count: strlen($0))) }
        while let slash = bytes.lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) {
            bytes.removeSubrange(max(slash, 1)...)
            var status = Glibc.stat()
            guard lstat(bytes + [0], &status) == 0 else {
                let error = Errno(rawValue: errno)
                throw DocumentError(
                    .notConfigured, "“\(Self.path(bytes))”, above \(what), cannot be examined: \(error).")
            }
            if let (reason, remedy) = problem(with: status) {
                let folder = Self.path(bytes)
                throw DocumentError(
                    .notConfigured,
                    "“\(path)”, \(what), lies in “\(folder)”, \(reason): \(remedy) \(folder)”, or move the provider.")
            }
            guard slash > 0 else { return }
        }
    }

    /// Why a folder lets others replace what is in it, and the beginning of what to do.
    private func problem(with folder: Glibc.stat) -> (reason: String, remedy: String)? {
        // Nothing keeps a folder's owner from renaming what is in it.
        guard folder.st_uid == user || folder.st_uid == 0 else {
            return ("which belongs to user \(folder.st_uid), who is neither you nor root", "run “chown \(user)")
        }
        // In a folder like /tmp the sticky bit keeps all others from that.
        if folder.st_mode & S_ISVTX != 0 { return nil }
        if folder.st_mode & S_IWOTH != 0 { return ("which other users can change", "run “chmod o-w") }
        if folder.st_mode & S_IWGRP != 0, isForeign(group: folder.st_gid) {
            return ("which other users can change", "run “chmod g-w")
        }
        return nil
    }

    private static func path(_ bytes: [CChar]) -> FilePath { FilePath(platformString: bytes + [0]) }

    /// The path without symbolic links.
    static func real(_ path: FilePath, _ what: String) throws(DocumentError) -> FilePath {
        guard let real = path.withoutLinks else {
            throw DocumentError(
                .notConfigured, "“\(path)”, \(what), cannot be reached: \(Errno(rawValue: errno)).")
        }
        return real
    }

    static func stat(_ path: FilePath, _ what: String) throws(DocumentError) -> Stat {
        do {
            return try path.stat()
        } catch {
            throw DocumentError(.notConfigured, "“\(path)”, \(what), cannot be examined: \(error).")
        }
    }
}
