import DocumentHost
import DocumentModel
import DocumentWire

extension ToolHandler {
    /// As many outcomes as there is room for in an answer: the tool asks for the others again, and gets them from what is kept.
    func reply(to call: ThumbnailCall) async throws(DocumentError) -> ServiceReply {
        let outcomes =
            switch call {
            case .entries(let session, let entries, let size):
                try await host.thumbnails(of: entries, in: session, size: size, for: tool)
            case .items(let locations, let size):
                try await host.thumbnails(of: locations, size: size, for: tool)
            }
        var room = Thumbnail.mostBytesAtOnce
        let fitting = outcomes.prefix { outcome in
            if case .image(let thumbnail) = outcome { room -= thumbnail.bytes.count }
            return room >= 0
        }
        return .thumbnails(Array(fitting))
    }
}
