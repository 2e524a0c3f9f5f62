import CDocentShims
import DocumentModel
import Glibc
import SystemPackage

/// Of which file the kernel may have pages.
struct KeptPages: Sendable {
    /// As it was when it was opened last, or when the kernel was to let go of what it had.
    var file: FileState
    /// Whether it may still have pages from before: whoever opens it next gets new ones.
    var isLeft = false
}

/// A file as it was at some moment: what is equal has the same contents.
struct FileState: Hashable, Sendable {
    /// Which file it is, whatever is in it.
    struct Identity: Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    let identity: Identity
    private let changed: Timestamp
    let facts: NodeAttributes.FileFacts

    /// Nil when it cannot be looked at, or is no file.
    init?(_ file: FileDescriptor) {
        var status = docent_status()
        guard docent_fstat(file.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The same; a link is not followed.
    init?(at path: String) {
        var status = docent_status()
        guard docent_fstatat(AT_FDCWD, path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether both are the same file, whatever is in it by now.
    func isFile(of other: FileState) -> Bool { identity == other.identity }

    private init?(_ status: docent_status) {
        guard status.type == Int32(DOCENT_TYPE_FILE.rawValue) else { return nil }
        identity = Identity(device: status.device, inode: status.inode)
        changed = Timestamp(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds)
        facts = NodeAttributes.FileFacts(
            size: status.size, blocks: status.blocks,
            modified: Timestamp(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds))
    }
}
