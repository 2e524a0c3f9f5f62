internal import CDocentShims
internal import DocumentModel
internal import Glibc

/// What was found under a name.
enum Sight: Equatable {
    case item(FileFacts)
    /// Positive evidence that no item has the name: it is free, or something else has it.
    case absent
    /// Nothing is known: it cannot be looked at, or another file system is mounted over it.
    case hidden
}

/// Looks at names in folders.
struct Sighting: Sendable {
    /// The top folder's; what lies on another file system is left out.
    var device: UInt64
    var isReadOnlyFileSystem: Bool
    /// Folders of the host that lie in the provided folder: listing them would feed Docent with itself.
    var leftOut: Set<UInt64>
    private let user = docent_effective_user()

    init(device: UInt64, isReadOnlyFileSystem: Bool, leftOut: Set<UInt64> = []) {
        self.device = device
        self.isReadOnlyFileSystem = isReadOnlyFileSystem
        self.leftOut = leftOut
    }

    /// - Parameter name: an item's.
    func look(at name: String, in folder: borrowing OpenFile) -> Sight {
        let name = DiskName.path(name)
        var status = docent_entry_status()
        let result = docent_entry_status(folder.descriptor, name, &status)
        if result == -ENOENT || result == -ENOTDIR { return .absent }
        guard result == 0 else { return .hidden }
        if status.device != device || status.is_mount_root != 0 { return .hidden }
        guard status.type == DOCENT_TYPE_FILE.rawValue || status.type == DOCENT_TYPE_FOLDER.rawValue,
            !leftOut.contains(status.inode)
        else { return .absent }
        return .item(facts(status, name, folder.descriptor))
    }

    /// Whether anything has the name, an item or not.
    func isAny(at name: String, in folder: borrowing OpenFile) -> Bool {
        var status = docent_entry_status()
        return docent_entry_status(folder.descriptor, DiskName.path(name), &status) == 0
    }

    /// Whether it is known that nothing has the name.
    func isFree(_ name: String, in folder: borrowing OpenFile) -> Bool {
        var status = docent_entry_status()
        return docent_entry_status(folder.descriptor, DiskName.path(name), &status) == -ENOENT
    }

    /// Whether two names are those of one file.
    func isOneFile(
        _ name: String, in folder: borrowing OpenFile, _ other: String, in otherFolder: borrowing OpenFile
    ) -> Bool {
        guard case .item(let one) = look(at: name, in: folder), case .item(let two) = look(at: other, in: otherFolder)
        else { return false }
        return one.key == two.key
    }

    /// The facts of an open file or folder itself.
    func facts(of file: borrowing OpenFile) -> FileFacts? {
        var status = docent_entry_status()
        guard docent_entry_status(file.descriptor, "", &status) == 0 else { return nil }
        return facts(status, [], file.descriptor)
    }

    private func facts(_ status: docent_entry_status, _ name: [CChar], _ folder: Int32) -> FileFacts {
        FileFacts(
            key: FileKey(
                inode: status.inode,
                born: status.has_birth == 0
                    ? nil : Timestamp(seconds: status.born_seconds, nanoseconds: status.born_nanoseconds)),
            isFolder: status.type == DOCENT_TYPE_FOLDER.rawValue,
            size: status.type == DOCENT_TYPE_FOLDER.rawValue ? 0 : status.size,
            modified: Timestamp(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds),
            changed: Timestamp(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds),
            mode: status.mode, owner: status.owner, group: status.group, links: status.links,
            isWritable: isWritable(status, name, folder))
    }

    /// Asks the system only where mode and owner do not tell.
    private func isWritable(_ status: docent_entry_status, _ name: [CChar], _ folder: Int32) -> Bool {
        if isReadOnlyFileSystem { return false }
        if user == 0 { return true }
        if status.owner == user { return status.mode & 0o200 != 0 }
        return docent_may_write(folder, name.isEmpty ? DiskName.path(".") : name) == 0
    }
}
