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

    /// The same place, without symbolic links; nil, with `errno`, when it cannot be reached. Blocks.
    var withoutLinks: FilePath? {
        withPlatformString { path in
            guard let real = realpath(path, nil) else { return nil }
            defer { free(real) }
            // Mostly it is this one, which has been taken apart and looked at already.
            return strcmp(path, real) == 0 ? self : FilePath(platformString: real)
        }
    }

    /// The folder that it lies in. It has to be absolute, without symbolic links, and not the topmost.
    ///
    /// `removingLastComponent` says the same, and takes the path apart for it.
    var folderAround: FilePath {
        let text = string
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")), slash > text.startIndex else { return "/" }
        return FilePath(String(text[..<slash]))
    }
}
