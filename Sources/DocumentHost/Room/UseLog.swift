import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// When documents were last used. Kept in memory, so that nothing is written when somebody reads, and written down many at
/// a time: what a crash loses of it only makes a document look older than it is.
final class UseLog: Sendable {
    /// So many are kept before they are written down.
    static let most = 512

    private let times = Mutex<[ItemKey: Int64]>([:])
    /// Seconds since 1970.
    private let clock: @Sendable () -> Int64

    init(clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
    }

    /// - Returns: whether it is time to write them down.
    @discardableResult
    func used(_ keys: [ItemKey]) -> Bool {
        let now = clock()
        return times.withLock { times in
            for key in keys { times[key] = now }
            return times.count >= Self.most
        }
    }

    /// It has come unasked: as if it had never been used.
    func unused(_ key: ItemKey) {
        times.withLock { $0[key] = 0 }
    }

    func writeDown(in storage: StorageThreads) async throws(DocumentError) {
        let taken = times.withLock { times in
            defer { times = [:] }
            return times.map { (id: $0.key.id, domain: $0.key.domain, seconds: $0.value) }
        }
        guard !taken.isEmpty else { return }
        // It need not survive the machine.
        try await storage.run { try $0.root.index.write(durably: false) { try $0.setUsed(taken) } }
    }
}
