import Glibc
import SystemPackage

/// Where a local document that is to be sent really lies, whatever links the way to it leads through.
enum OriginalPath {
    /// Blocks.
    ///
    /// - Parameter followingLink: whether the document itself may be a link; one that is moved may not.
    /// - Returns: the path as it is, when nothing is there.
    static func resolved(_ path: FilePath, followingLink: Bool) -> FilePath {
        if followingLink { return real(path) ?? path }
        guard let name = path.lastComponent, name.kind == .regular, let folder = real(path.removingLastComponent())
        else { return path }
        return folder.appending(name)
    }

    private static func real(_ path: FilePath) -> FilePath? {
        guard let text = realpath(path.string, nil) else { return nil }
        defer { free(text) }
        return FilePath(String(cString: text))
    }
}
