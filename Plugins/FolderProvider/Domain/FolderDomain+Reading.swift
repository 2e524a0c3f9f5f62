internal import Synchronization

extension FolderDomain {
    /// Reads documents of which nothing but the time of change is another, one after the other: without the lock, as it may take
    /// long on a disk that is far away.
    ///
    /// - Parameter isEnough: asked after each of them.
    func readUnsettled(until isEnough: () -> Bool = { false }) {
        let ids = mirror.withLock { $0.isScanned ? $0.unsettled : [] }
        for id in ids {
            read(id)
            if isEnough() || mirror.withLock({ !$0.isReachable }) { return }
        }
    }

    private func read(_ id: RecordID) {
        guard let unread = mirror.withLock({ mirror in mirror.openUnsettled(id) }) else { return }
        let reading = Reading.of(unread.file, unread.facts, unread.sighting) { isEnded }
        let facts = unread.facts
        mirror.withLock { mirror in mirror.settle(id, reading, facts) }
    }
}
