import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

/// What tools make of packages: new and changed parts are sent, and removed ones are dropped.
struct PackageParts: Sendable {
    /// After a failure it is tried again so often, until the disk has room.
    private static let pause = Duration.seconds(10)

    let storage: StorageThreads
    let arrivals: Arrivals
    let sender: Sender
    let backlog: Backlog
    let localChanges: LocalChangeWatcher
    let work: WorkGroup
    let logger: Logger

    /// A write in a package has ended.
    ///
    /// - Parameter dropping: parts that are not there any more were removed.
    /// - Throws: what cannot be recorded now, and is tried again; or what cannot be sent of what lies there: all else is.
    func record(_ entry: JournalEntry, dropping: Bool) async throws(DocumentError) {
        do throws(DocumentError) {
            try await take(entry, dropping: dropping)
        } catch {
            guard error.code == .localStorage else { throw error }
            work.add { await retry(entry) }
            throw error
        }
    }

    /// Somebody else may be writing in it by then, and have put something aside: nothing counts as removed.
    private func retry(_ entry: JournalEntry) async {
        while (try? await Task.sleep(for: Self.pause)) != nil {
            do throws(DocumentError) {
                return try await take(entry, dropping: false)
            } catch {
                guard error.code == .localStorage else { return }
            }
        }
    }

    private func take(_ entry: JournalEntry, dropping: Bool) async throws(DocumentError) {
        let edits = try await storage.run { try $0.recordEdits(entry, dropping: dropping) }
        backlog.add(edits.dropped, of: entry.domain)
        for failure in edits.failures {
            localChanges.suspect(ItemKey(domain: entry.domain, id: failure.key), because: failure.error)
        }
        for item in edits.made + edits.changed {
            if item.isArriving { try arrivals.send(item) } else { sender.enqueue(item.key) }
        }
        for refusal in edits.refused {
            logger.warning(
                "something in a package is not sent, and so nothing of it counts as removed",
                metadata: ["domain": "\(entry.domain)", "error": "\(refusal)"])
        }
        guard let refusal = edits.refused.first else { return }
        throw edits.refused.count == 1
            ? refusal
            : refusal.wrapped("\(refusal.message) So it is with \(edits.refused.count - 1) more.")
    }
}
