package import DocumentModel
package import SystemPackage

/// What a program is told when a document cannot be had: each of our errors as the number that says most to a program that
/// knows nothing of us.
package enum ErrorNumber {
    package static func of(_ error: DocumentError) -> Errno {
        // What keeps programs from writing is to be told from a disk that is broken.
        if error.isOutOfSpace { return .noSpace }
        if error.isAboutNoFolder { return .notDirectory }
        if let number = numbers[error.code] { return number }
        // A code of a newer host.
        return switch error.code.errorClass {
        case .resolvable: .noRouteToHost
        case .definitive: .staleNFSFileHandle
        case .transient: .ioError
        case .caller: .invalidArgument
        }
    }

    /// Of whatever was thrown on the way to a document.
    static func of(_ error: any Error) -> Errno {
        switch error {
        case let error as DocumentError: of(error)
        case let error as Errno: error
        case is CancellationError: .interrupted
        default: .ioError
        }
    }

    /// Whether the number says all that there is to say.
    static func isPlain(_ error: DocumentError) -> Bool {
        [.noSuchItem, .nameCollision, .destinationExists, .directoryNotEmpty, .cancelled].contains(error.code)
    }

    private static let numbers: [DocumentError.Code: Errno] = [
        .notAuthenticated: .permissionDenied,
        .serverUnreachable: .noRouteToHost,
        .insufficientQuota: .diskQuotaExceeded,
        .cannotSynchronize: Errno(rawValue: 121),  // EREMOTEIO, “Remote I/O error”
        .excludedFromSync: .notPermitted,
        .noSuchItem: .noSuchFileOrDirectory,
        .nameCollision: .fileExists,
        .deletionRejected: .notPermitted,
        .directoryNotEmpty: .directoryNotEmpty,
        .versionNoLongerAvailable: .staleNFSFileHandle,
        .internal: .ioError,
        .busy: .resourceBusy,
        .localStorage: .ioError,
        .cancelled: .interrupted,
        .unimplemented: .notSupported,
        .invalidArgument: .invalidArgument,
        .pageExpired: .staleNFSFileHandle,
        .anchorExpired: .staleNFSFileHandle,
        .notPermitted: .permissionDenied,
        .notConfigured: .noSuchFileOrDirectory,
        .destinationExists: .fileExists,
        .unsyncedEdits: .resourceBusy,
        .deadlock: .deadlock,
        .inConflict: .resourceBusy,
        .outsideStorageRoot: .improperLink,
        .typeNotAccepted: .invalidArgument,
        .nameClash: .fileExists,
        .localVersionConflicting: .resourceBusy,
        .providerDied: .ioError,
        .deadlineExceeded: .timedOut,
        .protocolViolation: .protocolError,
        .frameTooLarge: .messageTooLong,
        .contractBroken: .protocolError,
        .providerUnavailable: .hostIsDown,
        .hostUnavailable: .ioError,
    ]
}
