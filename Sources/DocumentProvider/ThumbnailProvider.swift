public import DocumentModel

/// The capability "thumbnails": gives small pictures of documents and packages. Declare it in the manifest too.
///
/// The host keeps what it was given for as long as the item has that version, so that it asks seldom, and it never waits for
/// thumbnails with anything else.
public protocol ThumbnailProvider: Provider {
    /// A picture of one item; nil when there is none.
    ///
    /// Give what is at hand, and nothing of other contents: throw `versionNoLongerAvailable` when the current version is
    /// another. What is thrown here is told of this item alone.
    ///
    /// - Parameters:
    ///   - contentVersion: the version that is wanted; never empty.
    ///   - size: what the longer side should have, in pixels. It may have less, and at most twice as much.
    ///   - transfer: where to learn of a cancel, and to send a heartbeat where it takes time.
    func thumbnail(
        for id: ItemIdentifier, contentVersion: [UInt8], size: Int, transfer: Transfer
    ) async throws -> Thumbnail?

    /// Pictures of several items, in their order; by default one after the other. Implement it where the remote gives many at
    /// once.
    ///
    /// An answer that is shorter than the list of items is fine as long as there is one: the host asks for the others again.
    func thumbnails(
        for items: [ThumbnailRequest], size: Int, transfer: Transfer
    ) async throws -> [ThumbnailOutcome]
}

extension ThumbnailProvider {
    public func thumbnails(
        for items: [ThumbnailRequest], size: Int, transfer: Transfer
    ) async throws -> [ThumbnailOutcome] {
        var outcomes: [ThumbnailOutcome] = []
        var length = 0
        for item in items {
            try transfer.checkCancellation()
            do {
                let thumbnail = try await thumbnail(
                    for: item.id, contentVersion: item.contentVersion, size: size, transfer: transfer)
                outcomes.append(thumbnail.map(ThumbnailOutcome.image) ?? .missing)
                length += thumbnail?.bytes.count ?? 0
            } catch {
                try transfer.checkCancellation()
                outcomes.append(.failed(DocumentError(thrown: error, by: "The provider")))
            }
            transfer.heartbeat()
            // The next one may have no room in the answer.
            guard length <= Thumbnail.mostBytesAtOnce - Thumbnail.maximumLength else { break }
        }
        return outcomes
    }
}

/// An item that ``ThumbnailProvider/thumbnails(for:size:transfer:)`` is asked for.
public struct ThumbnailRequest: Hashable, Sendable {
    public var id: ItemIdentifier
    /// The version that is wanted; never empty.
    public var contentVersion: [UInt8]

    public init(id: ItemIdentifier, contentVersion: [UInt8]) {
        self.id = id
        self.contentVersion = contentVersion
    }
}
