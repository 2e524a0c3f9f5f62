import DocumentStorage
import Synchronization
import SystemPackage

/// The snapshots that one access for uploading reads; removed when it ends (COORD-14).
final class Snapshots: Sendable {
    typealias Snapshot = (request: StagingRequest, path: FilePath)

    private let snapshots = Mutex<[Snapshot]>([])

    var made: [Snapshot] { snapshots.withLock { $0 } }

    func add(_ snapshot: Snapshot) {
        snapshots.withLock { $0.append(snapshot) }
    }

    /// What is left over is removed at the host's next start.
    func remove() {
        for snapshot in made { try? snapshot.request.remove() }
    }
}
