package import DocumentModel
package import DocumentWire

extension ConformanceSession {
    /// Asks for thumbnails in one call.
    package func thumbnails(_ items: [WantedThumbnail], size: Int = 256) async throws -> [ProvidedThumbnail] {
        let call = ProviderCall.ThumbnailsCall(items: items, size: size)
        guard case .thumbnails(let given) = try await ask(.thumbnails(call)) else { throw wrongKind }
        return given
    }

    /// Asks for the thumbnails of documents in the versions that they have, until each is answered.
    package func thumbnails(
        of documents: [Item], size: Int = 256
    ) async throws -> [(document: Item, given: ProvidedThumbnail)] {
        var left = Array(documents.filter { !$0.version.content.isEmpty }.prefix(Thumbnail.mostAtOnce))
        guard !left.isEmpty else { throw CheckSkip("There is no document with a version to ask for a thumbnail of.") }
        var answers: [(document: Item, given: ProvidedThumbnail)] = []
        while !left.isEmpty {
            let wanted = left.map { WantedThumbnail($0.id, contentVersion: $0.version.content) }
            for given in try await thumbnails(wanted, size: size) {
                guard let place = left.firstIndex(where: { $0.id == given.id }) else { continue }
                answers.append((left.remove(at: place), given))
            }
        }
        return answers
    }

    /// The images among them.
    package func images(
        of documents: [Item], size: Int = 256
    ) async throws -> [(document: Item, image: ProvidedImage)] {
        let images = try await thumbnails(of: documents, size: size).compactMap { answer in
            answer.given.image.map { (document: answer.document, image: $0) }
        }
        guard !images.isEmpty else {
            throw CheckSkip("None of the documents has a thumbnail; name one that has in the configuration's data.")
        }
        return images
    }
}

/// An image that a provider gave, and what it says of it.
package struct ProvidedImage: Hashable, Sendable {
    package var bytes: [UInt8]
    package var mediaType: String
    package var contentVersion: [UInt8]
}

extension ProvidedThumbnail {
    package var image: ProvidedImage? {
        guard case .image(let bytes, let mediaType, let contentVersion) = answer else { return nil }
        return ProvidedImage(bytes: bytes, mediaType: mediaType, contentVersion: contentVersion)
    }
}
