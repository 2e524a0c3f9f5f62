internal import DocumentModel
internal import SystemPackage

/// A system call that failed, and what it means for the item that it was about.
struct SystemFailure: Error, Hashable {
    let errno: Errno

    /// - Parameter result: the negative error number that a shim returned.
    init(_ result: some BinaryInteger) {
        errno = Errno(rawValue: -CInt(truncatingIfNeeded: result))
    }

    /// On whose side it happened.
    enum Side {
        /// The provided folder.
        case remote
        /// Staging and state, which belong to the host.
        case local
    }

    /// - Parameter doing: the beginning of the sentence: “a.txt” cannot be read.
    func error(_ side: Side, _ doing: String) -> DocumentError {
        let (code, advice) = meaning(side)
        return DocumentError(code, "\(doing): \(errno). \(advice)", detail: "errno \(errno.rawValue)")
    }

    private func meaning(_ side: Side) -> (code: DocumentError.Code, advice: String) {
        switch errno {
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            (.notPermitted, "Check the permissions there.")
        case .noSpace, Errno(rawValue: 122):
            side == .remote
                ? (.insufficientQuota, "Make room on that disk.") : (.localStorage, "Make room on that disk.")
        case .fileNameTooLong, .invalidArgument, .illegalByteSequence:
            (.invalidArgument, "Choose another name.")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .resourceBusy, .wouldBlock:
            (.busy, "Try again in a moment.")
        case _ where side == .local:
            (.localStorage, "Check that disk.")
        case .ioError, Errno(rawValue: 116), Errno(rawValue: 107), Errno(rawValue: 110), Errno(rawValue: 112):
            (.serverUnreachable, "Check that the disk or server is connected.")
        default:
            (.internal, "Try again.")
        }
    }
}

extension SystemFailure {
    /// Gives a shim's result back when it is not an error.
    @discardableResult
    static func check<Result: BinaryInteger>(
        _ result: Result, _ side: Side, _ doing: @autoclosure () -> String
    ) throws(DocumentError) -> Result {
        guard result < 0 else { return result }
        throw SystemFailure(result).error(side, doing())
    }
}
