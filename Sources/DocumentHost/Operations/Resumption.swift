import DocumentModel
import DocumentStorage
import Logging

/// Takes up sends that the host's death interrupted after the provider was asked: with the operation's old name, so that
/// they are not done twice. (Everything else that was interrupted is settled without a provider, at the start.)
struct Resumption: Sendable {
    let storage: StorageThreads
    let domains: DomainRegistry
    let locks: KeyedLock<ItemKey>
    let delivery: Delivery
    let logger: Logger

    func resume(_ entry: JournalEntry) async {
        do throws(DocumentError) {
            let domain = try domains.domain(entry.domain)
            let sending = try await storage.run { try $0.resumeSending(entry) }
            try await locks.withLock(sending.item.key) { () async throws(DocumentError) in
                try await delivery.resume(sending, of: domain)
            }
        } catch {
            logger.notice(
                "an interrupted sending was not completed; the change is sent anew",
                metadata: [
                    "domain": "\(entry.domain)", "item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)",
                ])
        }
    }
}
