import DocumentModel
import SystemPackage

extension DocumentError {
    /// What a provider threw, as the host gets it.
    ///
    /// - Parameter provider: who threw it, at the beginning of a sentence.
    init(thrown error: any Error, by provider: String) {
        switch error {
        case is CancellationError: self.init(.cancelled, "It was cancelled.")
        case var error as DocumentError:
            // A provider that used the host's own codes would lose its connection.
            if error.code.isReservedForHost { error.code = .internal }
            self = error
        case let error as Errno:
            self.init(.localStorage, "\(provider) could not use a file: \(error.description).")
        default:
            self.init(.internal, "\(provider) failed: \(error)", detail: String(reflecting: error))
        }
    }
}
