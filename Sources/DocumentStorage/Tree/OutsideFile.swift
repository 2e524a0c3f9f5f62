internal import CDocentShims
internal import DocumentModel
internal import Glibc
package import SystemPackage

/// The local document of a move.
package enum OutsideFile {
    /// Removes a file outside the storage root, only when it still is what was recorded. Some programs set the time of
    /// modification back after they wrote, so nobody may have done anything at all to it, where that was recorded. Nor may
    /// a program have it open for writing: what that writes next would be nowhere.
    ///
    /// - Returns: false when it is something else by now, or about to be, and stays. What is gone already is no error.
    package static func remove(_ path: FilePath, expecting: FileIdentity) throws -> Bool {
        guard let name = path.lastComponent?.string else { return true }
        let parent = path.removingLastComponent()
        let folder = try DirectoryHandle(trusting: parent.isEmpty ? "." : parent.string)
        guard let status = try folder.status(name) else { return true }
        guard status.isFile else { return false }
        guard let file = try folder.file(name) else { return true }
        let lease = try file.takeLease(DOCENT_LEASE_READ)
        defer { if lease == .held { file.dropLease() } }
        let now = try file.status().identity
        let isExpected = expecting.changed == .zero ? now.hasSameContents(as: expecting) : now.isStill(expecting)
        guard lease != .refused, isExpected, try folder.status(name)?.identity.inode == now.inode,
            !(lease == .held && file.isLeaseWanted(DOCENT_LEASE_READ))
        else { return false }
        try folder.unlink(name)
        try folder.flush()
        return true
    }
}
