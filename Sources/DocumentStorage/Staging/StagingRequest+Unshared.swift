internal import CDocentShims
internal import DocumentModel

/// What a provider still has open when it has answered.
extension StagingRequest {
    private static let readingAttempts = 5

    /// A request's file that nobody else has open: it becomes a document, of which its provider is to read nothing that is written
    /// into it later, and which nobody could evict while it is open. Who closes it only just after the answer is waited for.
    ///
    /// - Returns: the same file, or one with the same contents in its place.
    func unshared(_ open: OpenFile) throws -> OpenFile {
        if try isClosed(open, DOCENT_LEASE_WRITE, attempts: Self.readingAttempts) { return open }
        let name = RandomName.make()
        guard let own = try folder.makeFile(name) else {
            throw DocumentError(.internal, "The request \(self.name) has a file of the name “\(name)” already.")
        }
        _ = try Self.copy(open, named: Self.contents, to: own)
        try folder.unlink(Self.contents)
        guard try folder.rename(name, to: folder, Self.contents, .notReplacing) == .done else {
            throw broken("was replaced while its contents were copied: a provider must write into the one it was given")
        }
        return own
    }
}
