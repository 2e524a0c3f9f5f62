import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

/// Has the old places of what was moved in emptied when it is in its new one, and the host had ended before that (CONT-7). Nobody
/// waits for it: they may be on a disk or a network that gives no answer.
struct LeftSources: Sendable {
    /// How long it is waited for when too much of it gives no answer.
    private static let rest = Duration.seconds(60)

    let storage: StorageThreads
    let locks: KeyedLock<ItemKey>
    let work: WorkGroup
    let logger: Logger

    /// What cannot be removed now stays in the journal, and is left to the next start.
    func removeLater(_ entries: [JournalEntry]) {
        for entry in entries { work.add { await remove(entry) } }
    }

    private func remove(_ entry: JournalEntry) async {
        while true {
            do throws(DocumentError) {
                try await bring(entry)
                try await storage.runOutside(isAside: true) { (store, _) throws -> Void in
                    try store.removeSource(ofPlaced: entry)
                }
                return
            } catch {
                let mayBeTriedAgain = error.code == .busy
                logger.notice(
                    "what was moved in stays in its old place \(mayBeTriedAgain ? "for now" : "until the next start")",
                    metadata: ["item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)"])
                guard mayBeTriedAgain, (try? await Task.sleep(for: Self.rest)) != nil else { return }
            }
        }
    }

    /// Contents that only the old place has, besides the provider, come to the new one first. Until then whoever wants them has them
    /// from the provider.
    private func bring(_ entry: JournalEntry) async throws(DocumentError) {
        guard entry.step == .moveRecorded, let id = entry.itemID else { return }
        let contents = try await storage.runOutside(
            isAside: true,
            late: { (store: DocumentStore, contents: StagedFile?) in if let contents { store.drop(contents) } }
        ) { (store, _) throws -> StagedFile? in try store.contents(ofLeft: entry) }
        do throws(DocumentError) {
            try await locks.withLock(ItemKey(domain: entry.domain, id: id)) { () async throws(DocumentError) in
                try await storage.run { try $0.place(contents, ofLeft: entry) }
            }
        } catch {
            // It was cancelled while it waited for the lock, perhaps.
            if let contents { try? await storage.run { $0.drop(contents) } }
            throw error
        }
    }
}
