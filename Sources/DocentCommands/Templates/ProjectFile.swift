import DocumentModel
import Glibc
import SystemPackage

/// One file of a new project.
struct ProjectFile: Sendable {
    /// Relative to the project.
    var path: String
    var mode: FilePermissions
    var text: String

    /// - Throws: `localStorage`.
    func write(below project: FilePath) throws(DocumentError) {
        let target = project.pushing(FilePath(path))
        do {
            try Self.makeFolders(above: target, below: project)
            let file = try FileDescriptor.open(
                target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: mode)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
        } catch {
            throw DocumentError(
                .localStorage, "\(target) cannot be written (\(error)): remove \(project), make room, and try again.")
        }
    }

    private static func makeFolders(above path: FilePath, below project: FilePath) throws {
        let folder = path.removingLastComponent()
        guard folder != project else { return }
        try makeFolders(above: folder, below: project)
        if mkdir(folder.string, 0o777) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
    }
}
