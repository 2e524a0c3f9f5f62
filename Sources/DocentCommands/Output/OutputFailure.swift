package import DocumentModel
package import SystemPackage

/// Why standard output cannot be written, as a sentence that names it.
package enum OutputFailure {
    package static func error(_ error: Errno) -> DocumentError {
        switch error {
        case .noSpace, .diskQuotaExceeded:
            DocumentError(
                .localStorage,
                "Standard output could not be written to the end: there is no room where it goes (\(error)). Free some, and run the command again."
            )
        case .badFileDescriptor:
            DocumentError(
                .invalidArgument,
                "Standard output is closed, and this command writes to it: run it with one that is open.")
        default:
            DocumentError(
                .localStorage, "Standard output could not be written to the end (\(error)): see where it goes.")
        }
    }
}
