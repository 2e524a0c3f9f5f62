internal import CDocentShims
internal import DocumentModel
internal import Synchronization
internal import SystemPackage

extension FolderDomain {
    /// A document that is no larger is its own thumbnail, when it is a picture.
    private static let smallImage: Int64 = 65_536

    /// A picture of a document that is at hand: one that some program has made and left beside it, or the document itself.
    ///
    /// - Throws: `versionNoLongerAvailable` when the document has another version by now.
    func thumbnail(for id: ItemIdentifier, contentVersion: [UInt8], size: Int) throws -> Thumbnail? {
        let source = try openDocument(id, contentVersion)
        let found =
            try sharedThumbnail(of: source.facts, source.name, beside: id, size)
            ?? smallImage(source.file, source.facts, size)
        guard found != nil else { return nil }
        // What is found meanwhile may be of newer contents.
        docent_wait_past(source.facts.changed.seconds, source.facts.changed.nanoseconds)
        _ = try openDocument(id, contentVersion)
        return found
    }

    private func sharedThumbnail(
        of facts: FileFacts, _ name: EntryName, beside id: ItemIdentifier, _ size: Int
    ) throws -> Thumbnail? {
        let folder = try openFolder(around: id)
        for (path, uri) in SharedThumbnail.paths(of: name, size: size) {
            // What cannot be opened is none: there are many reasons, and there need not be one.
            guard let file = try? folder.openBeneath(path, .document),
                let (bytes, made) = Self.contents(of: file, atMost: Int64(Thumbnail.maximumLength)),
                let thumbnail = try? Thumbnail(bytes), thumbnail.header.format == .png, thumbnail.fits(size),
                SharedThumbnail.isOf(facts, uri: uri, words: PNGText.entries(of: bytes), made: made)
            else { continue }
            return thumbnail
        }
        return nil
    }

    private func smallImage(_ file: borrowing OpenFile, _ facts: FileFacts, _ size: Int) -> Thumbnail? {
        guard facts.size <= Self.smallImage, let (bytes, _) = Self.contents(of: file, atMost: facts.size),
            bytes.count == facts.size, let thumbnail = try? Thumbnail(bytes), thumbnail.fits(size)
        else { return nil }
        return thumbnail
    }

    /// All of a small file, and when it was last changed; nil for anything else.
    private static func contents(
        of file: borrowing OpenFile, atMost limit: Int64
    ) -> (bytes: [UInt8], modified: Timestamp)? {
        guard let status = try? file.status(naming: "A picture"), status.type == DOCENT_TYPE_FILE.rawValue,
            status.size <= limit, let bytes = try? file.contents(naming: "A picture")
        else { return nil }
        return (
            bytes, Timestamp(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds)
        )
    }
}
