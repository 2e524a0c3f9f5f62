import DocumentModel
import FileCoordination
import Glibc
import SystemPackage

/// What of this machine a tool may present: only what it can reach by itself, under the same path (CONT-8). All of it blocks.
enum LocalReach {
    static func exists(_ path: String) -> Bool { status(path) != nil }

    /// - Parameters:
    ///   - path: as the tool says.
    ///   - process: the tool's.
    ///   - root: the document storage root: what lies in it is presented by its location.
    /// - Throws: `noSuchItem` when nothing is there, or something else for the tool than for the host, as in a sandbox;
    ///   `invalidArgument` for what could not be moved into a domain.
    static func item(at path: String, for process: Int32, outsideOf root: FilePath) throws(DocumentError)
        -> CoordinatedItem
    {
        let shown = ItemName.printable(path, limit: 200)
        let real = OriginalPath.resolved(FilePath(path), followingLink: false)
        guard let here = status(real.string), let there = status("/proc/\(process)/root\(real.string)"),
            here.st_dev == there.st_dev, here.st_ino == there.st_ino
        else {
            throw DocumentError(.noSuchItem, "There is no file “\(shown)” to present: check the name.")
        }
        guard !real.starts(with: root) else {
            throw DocumentError(
                .invalidArgument, "“\(shown)” lies in the storage root: present it by its location instead.")
        }
        let kind = here.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR, let item = CoordinatedItem(localPath: real.string) else {
            throw DocumentError(
                .invalidArgument,
                "“\(shown)” cannot be presented: it must be a document or a folder, with names that items can have.")
        }
        return item
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
