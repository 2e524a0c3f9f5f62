import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

/// Conflicts whose other side is gone on the remote, also with a folder around the document: nobody is shown them, and nobody is
/// left to choose between the two.
struct OneSidedConflicts: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let sender: Sender
    let logger: Logger

    /// Ends an item's conflict when it is such a one: the edit survives (VER-15), and what the remote had is a version of it.
    func end(_ item: IndexedItem) async throws(DocumentError) {
        let kept = try storage.read { try $0.conflicts(in: item.domain) }.filter { $0.itemID == item.id }
        let change = try await locks.withLock(item.key) { () async throws(DocumentError) -> VersionChange? in
            // Somebody may have chosen meanwhile, or it was told of again.
            let isStill = try storage.read { index in
                guard let now = try index.item(item.id, in: item.domain), now.state == .conflict else { return false }
                return try index.isGoneThere(now)
            }
            guard isStill else { return nil }
            return try await storage.run { try $0.resolveConflict(of: item.id, in: item.domain, keepingLocal: true) }
        }
        guard let change else { return }
        let resolved = try storage.read { try $0.coordinated(change.item) }
        broker.versions(change, of: resolved)
        for conflict in kept { broker.version(conflict.identifier, .resolved, of: resolved) }
        sender.enqueue(item.key)
    }

    /// The same of an item whose conflict was found just now, perhaps since it is gone.
    func end(_ key: ItemKey) async {
        do throws(DocumentError) {
            if let item = try storage.read({ try $0.item(key.id, in: key.domain) }) { try await end(item) }
        } catch {
            logger.error(
                "a conflict of what is gone on the remote goes on",
                metadata: ["domain": "\(key.domain)", "item.id": "\(key.id)", "error": "\(error)"])
        }
    }

    /// All that a host that ended before has left.
    func left() throws(DocumentError) -> [ItemKey] {
        try storage.read { index in
            var found: [ItemKey] = []
            var row: Int64 = 0
            while true {
                let page = try index.items(in: .conflict, of: nil, after: row)
                guard let last = page.last else { return found }
                found += try page.filter { try index.isGoneThere($0) }.map(\.key)
                row = last.row
            }
        }
    }
}
