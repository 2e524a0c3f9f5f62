import DocumentModel
import SwiftProtobuf

extension ProviderCall.ThumbnailsCall {
    init(_ wire: WireProviderGetThumbnails) throws(DocumentError) {
        try Thumbnail.check(count: wire.items.count)
        self.init(
            items: try mapped(wire.items, WantedThumbnail.init),
            size: try Thumbnail.check(size: Int(wire.size)))
        guard Set(items.map(\.id)).count == items.count else {
            throw Checks.refusal("The thumbnail of one item is asked for twice.")
        }
    }
}

extension WireProviderGetThumbnails {
    init(_ call: ProviderCall.ThumbnailsCall) {
        self.init()
        items = call.items.map { item in
            .with {
                $0.id = item.id.rawValue
                $0.contentVersion = collected(item.contentVersion)
            }
        }
        size = UInt32(clamping: call.size)
    }
}

extension WantedThumbnail {
    fileprivate init(_ wire: WireProviderWantedThumbnail) throws(DocumentError) {
        guard !wire.contentVersion.isEmpty else {
            throw Checks.refusal("A thumbnail was asked for, and not of which version.")
        }
        self.init(
            try ItemIdentifier(wire.id), contentVersion: try Checks.contentVersion(Array(wire.contentVersion)))
    }
}

extension ProvidedThumbnail {
    init(_ wire: WireProviderProvidedThumbnail) throws(DocumentError) {
        let answer: Answer =
            switch wire.outcome {
            case .image(let image):
                .image(
                    bytes: Array(image.data), mediaType: image.mediaType, contentVersion: Array(image.contentVersion))
            case .missing: .missing
            case .failure(let failure): .failure(DocumentError(failure))
            case nil:
                throw Checks.refusal("Of an item it is said neither that it has a thumbnail nor that it has none.")
            }
        self.init(try ItemIdentifier(wire.id), answer)
    }
}

extension WireProviderProvidedThumbnail {
    init(_ thumbnail: ProvidedThumbnail) {
        self.init()
        id = thumbnail.id.rawValue
        switch thumbnail.answer {
        case .image(let bytes, let mediaType, let contentVersion):
            image = .with {
                $0.data = collected(bytes)
                $0.mediaType = mediaType
                $0.contentVersion = collected(contentVersion)
            }
        case .missing: missing = WireProviderNoThumbnail()
        case .failure(let error): failure = WireFailure(error)
        }
    }
}
