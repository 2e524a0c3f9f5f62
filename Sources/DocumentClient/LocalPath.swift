internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// Paths of the tool's own files.
enum LocalPath {
    /// The absolute path of a file that exists; its folder's links are followed, its own name is kept.
    static func absolute(_ path: FilePath) throws(DocumentError) -> FilePath {
        guard let name = path.lastComponent, name.kind == .regular else {
            throw DocumentError(.invalidArgument, "“\(path)” is not the name of a file: name a document.")
        }
        let around = path.removingLastComponent()
        guard let folder = realpath(around.isEmpty ? "." : around.string, nil) else {
            throw DocumentError(
                .noSuchItem, "There is no file \(path) (\(Errno(rawValue: errno))): check the name.")
        }
        defer { free(folder) }
        let absolute = FilePath(String(cString: folder)).appending(name)
        var status = stat()
        guard lstat(absolute.string, &status) == 0 else {
            throw DocumentError(
                .noSuchItem, "There is no file \(path) (\(Errno(rawValue: errno))): check the name.")
        }
        return absolute
    }
}
