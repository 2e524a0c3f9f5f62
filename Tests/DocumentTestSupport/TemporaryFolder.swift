internal import Glibc
package import SystemPackage

/// Folders for tests, below the temporary folder.
package enum TemporaryFolder {
    /// A new one, its path as short as it can be: it is part of sockets' addresses.
    ///
    /// - Parameter place: the folder around it, where it is not to be the usual one.
    package static func make(_ purpose: String = "test", in place: String? = nil) throws -> FilePath {
        let base = place ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/docent-\(purpose).XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        return FilePath(platformString: path)
    }

    /// Removes a folder with all that is in it; follows no link.
    package static func remove(_ path: FilePath) { remove(path.string) }

    /// By plain text: with a path for each entry, tests that were not optimised took a tenth of their time for this.
    private static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
