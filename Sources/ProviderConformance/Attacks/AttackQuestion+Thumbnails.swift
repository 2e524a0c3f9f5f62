import DocumentClient
import DocumentModel

extension AttackQuestion {
    /// Asks for thumbnails while the folder is listed, which does not wait for them. What comes is a picture that was asked for.
    func lookAtThumbnails(_ client: DocumentClient) async throws {
        try await list(client)
        let locations = try ["target.txt", "good.txt"].map { top.appending(try ItemName($0)) }
        async let listed = list(client, refresh: false)
        let outcomes = try await client.thumbnails(of: locations, size: Self.thumbnailSize)
        _ = try await listed
        guard outcomes.count == locations.count else {
            throw CheckFailure("Other thumbnails come than those that were asked for.", detail: "\(outcomes.count)")
        }
        for case .image(let thumbnail) in outcomes {
            guard thumbnail.fits(Self.thumbnailSize), thumbnail.header.format == .png, thumbnail.bytes.count == 68
            else {
                throw CheckFailure("A thumbnail is not what the provider has.", detail: "\(thumbnail.header)")
            }
        }
        for outcome in outcomes { _ = try outcome.get() }
    }

    private static let thumbnailSize = 128
}
