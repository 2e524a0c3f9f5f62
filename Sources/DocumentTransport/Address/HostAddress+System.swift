package import DocumentModel
internal import Glibc
internal import SystemPackage

extension HostAddress {
    /// The address for this process: its environment, its user, this machine's folders.
    package static func ofThisProcess() throws(DocumentError) -> HostAddress {
        var environment: [String: String] = [:]
        for name in ["DOCENT_ROOT", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        return try resolve(environment: environment, surroundings: .current())
    }
}

extension HostAddress.Surroundings {
    fileprivate static func current() -> Self {
        let user = getuid()
        var status = stat()
        let isOurs = lstat("/run/user/\(user)", &status) == 0 && status.st_uid == user
        return Self(
            userID: user, home: homeFolder(of: user), hasRuntimeFolder: isOurs && status.st_mode & S_IFMT == S_IFDIR,
            canonical: canonicalPath
        )
    }

    private static func homeFolder(of user: uid_t) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir else {
            return getenv("HOME").map { String(cString: $0) } ?? "/"
        }
        return String(cString: home)
    }

    /// Resolves what exists of a path, and appends the rest.
    private static func canonicalPath(_ path: String) -> String {
        var existing = FilePath(path).lexicallyNormalized()
        var missing: [FilePath.Component] = []
        while true {
            if let resolved = realpath(existing.string, nil) {
                defer { free(resolved) }
                var result = FilePath(String(cString: resolved))
                for component in missing.reversed() { result.append(component) }
                return result.string
            }
            guard let last = existing.lastComponent else { return FilePath(path).lexicallyNormalized().string }
            missing.append(last)
            existing.removeLastComponent()
        }
    }
}
