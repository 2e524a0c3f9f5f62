internal import DocumentModel

/// Which file it is, whatever its name: inode and birth. An inode's number is used again for other files; the two
/// together are not.
struct FileKey: Hashable, Sendable {
    var inode: UInt64
    /// Nil where the file system does not record it.
    var born: Timestamp?
}

/// What the file system tells of one file or folder.
struct FileFacts: Hashable, Sendable {
    var key: FileKey
    var isFolder: Bool
    var size: Int64
    /// When its contents were changed, as anybody may set it.
    var modified: Timestamp
    /// When anything of it was changed, as nobody may set it.
    var changed: Timestamp
    var mode: UInt32
    var owner: UInt32
    var group: UInt32
    var links: UInt32
    /// Whether this process may write it.
    var isWritable: Bool

    /// Whether both are states of the same file.
    func isSameFile(as other: FileFacts) -> Bool {
        key == other.key && isFolder == other.isFolder
    }

    /// Whether both are the same state of the same file. Of an open file it is not known whether its name may be written.
    func isSameState(as other: FileFacts) -> Bool {
        var facts = self
        facts.isWritable = other.isWritable
        return facts == other
    }

    /// Whether both are the same file with the same contents, as far as can be told without the time of change, which
    /// renaming touches too.
    func hasSameContents(as other: FileFacts) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
