extension DocumentError {
    /// Of a document, where only a folder can be.
    package static func isNoFolder(_ location: Location) -> DocumentError {
        DocumentError(.invalidArgument, "\(location) \(noFolder)")
    }

    /// Whether it was said of a document that it is not a folder. The code alone does not tell: other things may be wrong with
    /// what was asked for, too.
    package var isAboutNoFolder: Bool { code == .invalidArgument && message.hasSuffix(Self.noFolder) }

    private static let noFolder = "is not a folder; docent stat shows it."
}
