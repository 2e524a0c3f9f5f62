import Glibc

/// Folders of files, in no more than a few levels.
enum Folder {
    /// The names in a folder; none when it is not there.
    static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a folder with all that is in it; nothing outside of it, as links are not followed.
    static func remove(_ path: String) {
        for name in names(in: path) {
            let child = "\(path)/\(name)"
            var status = stat()
            if lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                remove(child)
            } else {
                unlink(child)
            }
        }
        rmdir(path)
    }
}
