internal import CDocentShims
internal import DocumentModel

/// What the system knows of a file.
struct FileStatus {
    var raw: docent_status

    var isFile: Bool { raw.type == Int32(DOCENT_TYPE_FILE.rawValue) }
    var isFolder: Bool { raw.type == Int32(DOCENT_TYPE_FOLDER.rawValue) }

    var identity: FileIdentity {
        FileIdentity(
            inode: raw.inode,
            size: raw.size,
            modified: Timestamp(seconds: raw.modified_seconds, nanoseconds: raw.modified_nanoseconds),
            changed: Timestamp(seconds: raw.changed_seconds, nanoseconds: raw.changed_nanoseconds),
            links: raw.links
        )
    }
}
