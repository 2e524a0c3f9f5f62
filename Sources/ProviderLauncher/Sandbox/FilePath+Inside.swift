internal import Glibc
internal import SystemPackage

extension FilePath {
    /// Whether it is a folder, or lies in it at any depth. Both have to be absolute and without symbolic links.
    ///
    /// `starts(with:)` says the same; it takes both paths apart first, a thousand times as long, and every launch of a
    /// provider asks this of every pair of a grant and a place that is nobody's to give.
    func isInside(_ folder: FilePath) -> Bool {
        withPlatformString { path in
            folder.withPlatformString { folder in
                let length = strlen(folder)
                guard length > 0, strncmp(path, folder, length) == 0 else { return false }
                let slash = CChar(bitPattern: UInt8(ascii: "/"))
                return path[length] == 0 || path[length] == slash || folder[length - 1] == slash
            }
        }
    }
}
