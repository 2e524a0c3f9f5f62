internal import CDocentShims
internal import DocumentModel

/// What a provider still has open when it has answered.
extension StagingRequest {
    private static let readingAttempts = 5

    /// A request's file that nobody else has open: it becomes a document, of which its provider is to read nothing that is written
    /// into it later, and which nobody could evict while it is open. Who closes it only just after the answer is waited for.
    ///
    /// - Parameter stamp: of the document. Whatever is in a request's folder in place of the file that was made for it,
    ///   and does not say what it is, counts as somebody's edit when the host has died.
    /// - Returns: the same file, or one with the same contents in its place.
    func unshared(_ open: OpenFile, _ stamp: ItemStamp) throws -> OpenFile {
        if try isClosed(open, DOCENT_LEASE_WRITE, attempts: Self.readingAttempts) { return open }
        let name = RandomName.make()
        guard let own = try folder.makeFile(name) else {
            throw DocumentError(.internal, "The request \(self.name) has a file of the name “\(name)” already.")
        }
        _ = try Self.copy(open, named: Self.contents, to: own)
        // As it is going to be: nothing of it changes any more once it has its name.
        if stamp.modified != .zero { try own.setModified(stamp.modified) }
        let made = try own.status().identity
        var stamp = stamp
        (stamp.size, stamp.modified) = (made.size, made.modified)
        try own.setAttribute(ItemStamp.attribute, to: stamp.bytes)
        // A power failure may keep the name and not what is in it: then it would not be what it says.
        try own.flush()
        try folder.unlink(Self.contents)
        guard try folder.rename(name, to: folder, Self.contents, .notReplacing) == .done else {
            throw broken("was replaced while its contents were copied: a provider must write into the one it was given")
        }
        return own
    }

    /// What a request's file says that it is.
    func stamp(of file: StagedFile) throws -> ItemStamp? {
        try openStaged(file)?.attribute(ItemStamp.attribute).flatMap(ItemStamp.init(bytes:))
    }
}
