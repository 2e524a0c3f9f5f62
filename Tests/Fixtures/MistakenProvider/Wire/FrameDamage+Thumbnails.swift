import DocumentModel
import DocumentWire

/// What is wrong with thumbnails.
extension FrameDamage {
    /// Nil when nothing is.
    func damaged(_ given: [ProvidedThumbnail]) -> [ProvidedThumbnail]? {
        switch mistake {
        case .thumbnailOfStranger: (try? ItemIdentifier("nobody's")).map { given + [ProvidedThumbnail($0, .missing)] }
        case .thumbnailTwice: given + given.prefix(1)
        case .thumbnailOfAnotherType: given.map { Self.changed($0) { _, type, _ in type = "image/jpeg" } }
        case .thumbnailIsText: given.map { Self.changed($0) { bytes, _, _ in bytes = Array("A picture.".utf8) } }
        case .thumbnailSaysAnotherVersion: given.map { Self.changed($0) { _, _, version in version = [0x2A] } }
        default: nil
        }
    }

    private static func changed(
        _ thumbnail: ProvidedThumbnail, _ change: (inout [UInt8], inout String, inout [UInt8]) -> Void
    ) -> ProvidedThumbnail {
        guard case .image(var bytes, var mediaType, var contentVersion) = thumbnail.answer else { return thumbnail }
        change(&bytes, &mediaType, &contentVersion)
        return ProvidedThumbnail(
            thumbnail.id, .image(bytes: bytes, mediaType: mediaType, contentVersion: contentVersion))
    }
}
