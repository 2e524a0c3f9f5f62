import DocumentModel
import DocumentStorage
import Logging

/// Has the old places of what was moved in emptied when it is in its new one, and the host had ended before that (CONT-7). Nobody
/// waits for it: they may be on a disk or a network that gives no answer.
struct LeftSources: Sendable {
    let storage: StorageThreads
    let work: WorkGroup
    let logger: Logger

    /// What cannot be removed now stays in the journal, and is left to the next start.
    func removeLater(_ entries: [JournalEntry]) {
        for entry in entries {
            work.add {
                do throws(DocumentError) {
                    try await storage.runOutside { (store, _) throws -> Void in
                        try store.removeSource(ofPlaced: entry)
                    }
                } catch {
                    logger.notice(
                        "what was moved in stays in its old place until the next start",
                        metadata: ["item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)"])
                }
            }
        }
    }
}
