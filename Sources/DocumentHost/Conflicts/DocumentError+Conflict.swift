import DocumentModel

extension DocumentError {
    /// What is told of a document that was changed on both sides: where it is by now, and how to go on (VER-2).
    ///
    /// - Parameter causes: what its provider has said.
    static func inConflict(at location: Location, causes: [String] = []) -> DocumentError {
        DocumentError(
            .inConflict,
            "\(location) was changed here and on the remote; both contents are kept. See docent status \(location), then docent resolve \(location) --keep local, remote or both, or --merge.",
            causes: causes)
    }
}
