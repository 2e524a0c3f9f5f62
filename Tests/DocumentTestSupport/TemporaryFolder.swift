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
    package static func remove(_ path: FilePath) {
        guard let folder = opendir(path.string) else {
            unlink(path.string)
            return
        }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let inner = path.appending(FilePath.Component(stringLiteral: name))
            var status = stat()
            if lstat(inner.string, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                remove(inner)
            } else {
                unlink(inner.string)
            }
        }
        closedir(folder)
        rmdir(path.string)
    }
}
