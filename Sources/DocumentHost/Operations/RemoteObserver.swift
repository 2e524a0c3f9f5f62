import DocumentModel
import DocumentStorage
import DocumentWire
import Logging
import ProviderLauncher

/// Looks up what became of something that the provider was asked for, where its answer does not say: what is recorded is
/// what was observed, not what was meant (RS-5).
struct RemoteObserver: Sendable {
    let storage: StorageThreads
    let domains: DomainRegistry
    let treeWork: TreeWork
    let logger: Logger

    /// Whether the provider may have done it all the same.
    static func leavesOpen(_ error: DocumentError) -> Bool {
        switch error.code {
        case .providerDied, .deadlineExceeded, .providerUnavailable, .protocolViolation, .contractBroken, .internal:
            true
        default: false
        }
    }

    /// - Returns: the item as the provider has it now, which is written down; nil when it is gone there.
    /// - Throws: `reason`, when the provider cannot say.
    func look(at item: IndexedItem, _ reason: DocumentError) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            let now = try await domains.domain(item.domain).provider.item(item.id)
            guard now.id == item.id else { throw reason }
            _ = try await treeWork.take([now], in: item.domain)
            return now
        } catch {
            if error.code == .noSuchItem { return nil }
            logger.notice(
                "what became of a change cannot be looked up",
                metadata: ["domain": "\(item.domain)", "item.id": "\(item.id)", "error": "\(error)"])
            throw reason
        }
    }
}
