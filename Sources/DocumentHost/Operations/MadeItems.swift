import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher

/// Items that a provider is asked to make. Its feed may tell of one's deletion before it answers, when nobody here knows the
/// item yet, and does not tell of it again: what was told of meanwhile is a reason to look whether the item is still there.
struct MadeItems: Sendable {
    let storage: StorageThreads
    let logger: Logger

    /// How far the feed has been read; to be asked before the provider is.
    func heard(of domain: DomainName) throws(DocumentError) -> SyncAnchor? {
        try storage.read { try $0.domain(domain)?.anchor }
    }

    /// To be called when the item is in the index: what is told from now on finds it there.
    ///
    /// - Parameter heard: nil: nobody knows when it was made; it is looked for wherever there is a feed.
    /// - Returns: whether it is gone, and goes here, too.
    func isGone(
        _ id: ItemIdentifier, of domain: DomainName, since heard: SyncAnchor?, _ session: ProviderSession
    ) async throws(DocumentError) -> Bool {
        let read = try self.heard(of: domain)
        guard read != heard else { return false }
        do throws(DocumentError) {
            _ = try await session.item(id)
            return false
        } catch {
            guard error.code == .noSuchItem else {
                logger.notice(
                    "whether an item is still there that was just made cannot be looked up; its changes are read once more",
                    metadata: ["domain": "\(domain)", "item.id": "\(id)", "error": "\(error)"])
                if let heard {
                    try await storage.write { index in
                        // Who has set it back meanwhile, for another item, or has read on, may want what lies between:
                        // without an anchor everything is listed again.
                        guard try !index.setAnchor(heard, of: domain, ifStill: read) else { return }
                        try index.setAnchor(nil, of: domain)
                    }
                }
                return false
            }
        }
        logger.notice(
            "an item was removed as soon as it was made", metadata: ["domain": "\(domain)", "item.id": "\(id)"])
        try await storage.run { try $0.recordGone(id, in: domain) }
        return true
    }
}
