import DocumentModel
import DocumentProvider

extension MistakenProvider {
    /// Every document has the same one: a dot.
    func thumbnail(
        for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
    ) async throws -> Thumbnail? {
        try await serve {
            let item = try remote.look { try $0.item(id) }
            guard item.kind == .document else { return nil }
            guard mistake == .thumbnailOfAnyVersion || item.version.content == contentVersion else {
                throw DocumentError(.versionNoLongerAvailable, "“\(id)” has changed.", itemID: id)
            }
            var bytes = Self.dot
            if mistake == .thumbnailsVary { bytes.append(UInt8(truncatingIfNeeded: count())) }
            // The third byte of the width, in pixels.
            if mistake == .thumbnailTooWide { bytes[18] = 4 }
            return try Thumbnail(bytes)
        }
    }

    func thumbnails(
        for items: [ThumbnailRequest], size: Int, transfer: Transfer
    ) async throws -> [ThumbnailOutcome] {
        if mistake == .thumbnailsUnanswered { return [] }
        var outcomes: [ThumbnailOutcome] = []
        for item in items {
            try transfer.checkCancellation()
            do {
                let thumbnail = try await thumbnail(
                    for: item.id, contentVersion: item.contentVersion, size: size, transfer: transfer)
                outcomes.append(thumbnail.map { .image($0) } ?? .missing)
            } catch let error as DocumentError {
                if mistake == .thumbnailsFailTogether { throw error }
                outcomes.append(.failed(error))
            }
        }
        return outcomes
    }

    /// A PNG of one pixel.
    static let dot: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00, 0x00, 0xB5, 0x1C, 0x0C, 0x02, 0x00, 0x00, 0x00,
        0x0B, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x64, 0x60, 0x00, 0x00, 0x00, 0x06, 0x00, 0x02, 0x30, 0x81,
        0xD0, 0x2F, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
}
