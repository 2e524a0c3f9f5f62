internal import DocumentModel
internal import Glibc
internal import SystemPackage

extension DocumentError {
    /// The error of a failed system call, as a sentence.
    ///
    /// - Parameters:
    ///   - result: the negative error number.
    ///   - what: what could not be done, as the beginning of a sentence: “The document work:/a could not be opened”.
    static func system(_ result: Int, _ what: String) -> DocumentError {
        let number = Int32(truncatingIfNeeded: -result)
        let reason = Errno(rawValue: number).description
        switch number {
        case ENOSPC, EDQUOT:
            return DocumentError(
                .localStorage,
                "\(what): \(diskIsFull)",
                detail: reason
            )
        case EACCES, EPERM:
            return DocumentError(
                .notPermitted, "\(what): this user may not do that there. Check the owner and the mode of the folder.",
                detail: reason)
        case ELOOP, EXDEV:
            return DocumentError(
                .outsideStorageRoot,
                "\(what): a symbolic link or a mount is in the way, and none is followed. Remove it and try again.",
                detail: reason
            )
        case EROFS:
            return DocumentError(
                .localStorage, "\(what): the file system is mounted read-only. Mount it for writing and try again.",
                detail: reason)
        case EMFILE, ENFILE:
            return DocumentError(
                .localStorage, "\(what): too many files are open. Raise the limit (ulimit -n) and try again.",
                detail: reason)
        case EIO:
            return DocumentError(
                .localStorage, "\(what): the disk reported an input or output error. Check it before going on.",
                detail: reason)
        default:
            return DocumentError(.localStorage, "\(what): \(reason).", detail: "error number \(number)")
        }
    }
}
