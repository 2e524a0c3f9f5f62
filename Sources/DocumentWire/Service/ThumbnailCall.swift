package import DocumentModel
import SwiftProtobuf

/// What a host tool asks about thumbnails: the checked form of those calls of `docent.service.v1.ServiceRequest`.
package enum ThumbnailCall: Hashable, Sendable {
    case entries(UInt64, [PickerEntryID], size: Int)
    case items([Location], size: Int)
}

extension ThumbnailCall {
    init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .pickerThumbnails(let call):
            try Thumbnail.check(count: call.entries.count)
            self = .entries(
                call.session,
                try mapped(call.entries) { entry throws(DocumentError) in try PickerEntryID(Array(entry)) },
                size: try Thumbnail.check(size: Int(call.size)))
        case .itemThumbnails(let call):
            try Thumbnail.check(count: call.locations.count)
            self = .items(
                try mapped(call.locations) { location throws(DocumentError) in try Location(location) },
                size: try Thumbnail.check(size: Int(call.size)))
        default: throw Checks.refusal("This is no call about thumbnails.")
        }
    }

    var wire: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .entries(let session, let entries, let size):
            .pickerThumbnails(
                .with {
                    $0.session = session
                    $0.entries = entries.map { collected($0.bytes) }
                    $0.size = UInt32(clamping: size)
                })
        case .items(let locations, let size):
            .itemThumbnails(
                .with {
                    $0.locations = locations.map(\.description)
                    $0.size = UInt32(clamping: size)
                })
        }
    }
}

extension ThumbnailOutcome {
    /// Also of a host's answer only what an image's header says is believed.
    init(_ wire: WireServiceThumbnailResult) throws(DocumentError) {
        switch wire.result {
        case .image(let bytes): self = .image(try Thumbnail(Array(bytes)))
        case .missing: self = .missing
        case .failure(let failure): self = .failed(DocumentError(failure))
        case nil: throw Checks.refusal("Of an item it is said neither that it has a thumbnail nor that it has none.")
        }
    }
}

extension WireServiceThumbnailsAnswer {
    init(_ outcomes: [ThumbnailOutcome]) {
        self.init()
        results = outcomes.map(WireServiceThumbnailResult.init)
    }
}

extension WireServiceThumbnailResult {
    fileprivate init(_ outcome: ThumbnailOutcome) {
        self.init()
        switch outcome {
        case .image(let thumbnail): image = collected(thumbnail.bytes)
        case .missing: missing = WireServiceDone()
        case .failed(let error): failure = WireFailure(error)
        }
    }
}
