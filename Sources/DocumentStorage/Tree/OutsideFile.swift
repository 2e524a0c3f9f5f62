internal import CDocentShims
internal import DocumentModel
internal import Glibc
package import SystemPackage

/// The local document of a move.
package enum OutsideFile {
    /// Removes a file outside the storage root, only when it still is what was recorded.
    ///
    /// - Returns: false when it is something else by now, and stays. What is gone already is no error.
    package static func remove(_ path: FilePath, expecting: FileIdentity) throws -> Bool {
        guard let name = path.lastComponent?.string else { return true }
        let parent = path.removingLastComponent()
        let folder = try DirectoryHandle(trusting: parent.isEmpty ? "." : parent.string)
        guard let status = try folder.status(name) else { return true }
        guard status.isFile, status.identity.hasSameContents(as: expecting) else { return false }
        try folder.unlink(name)
        try folder.flush()
        return true
    }
}
