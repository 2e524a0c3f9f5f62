import DocumentModel
import DocumentStorage
import DocumentWire
import ProviderLauncher
import SystemPackage

/// Brings what the remote has of a document now beside what is here, as a version of it (VER-8, VER-14).
struct RemoteVersionFetcher: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>

    /// - Returns: what is kept; nil when the remote has what the document here has, or began from.
    func fetch(
        _ item: IndexedItem, at location: Location, on domain: Domain, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> KeptVersion? {
        guard !item.isArriving else {
            throw DocumentError(
                .noSuchItem,
                "\(location) was made here, and its provider does not know it yet: it has no other version.")
        }
        // Nothing of this touches the document's file: nobody who uses it is waited for.
        let kept = try await locks.withLock(item.key) { () async throws(DocumentError) -> KeptVersion? in
            let session = domain.provider
            do throws(DocumentError) {
                let now = try await session.item(item.id)
                let known = try storage.read { _ throws in
                    try storage.store.knownRemoteVersion(now.version, of: item.id, in: item.domain)
                }
                if let known { return known.kept }
                return try await bring(item, at: location, from: session, report)
            } catch {
                throw error.about(location)
            }
        }
        if let kept { broker.version(kept.kept, .gained, of: try storage.read { try $0.coordinated(item) }) }
        return kept
    }

    private func bring(
        _ item: IndexedItem, at location: Location, from session: ProviderSession, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> KeptVersion? {
        let room = try await storage.run { try $0.makeRoomForRemoteVersion(in: item.domain) }
        report(TransferProgress(done: 0, expected: nil))
        do throws(DocumentError) {
            let provided = try await onceMoreAfterDeath { () async throws(DocumentError) in
                try await session.startProviding(
                    item.id, stagingPath: room.file.path.string, contentVersion: [], onProgress: report)
            }
            guard provided.item.id == item.id else {
                throw session.broken("was asked for \(location) and provided something else")
            }
            do throws(DocumentError) {
                return try await storage.run {
                    try $0.keepRemoteVersion(
                        room.file, of: room.request, as: provided.item, sha256: provided.sha256, answering: item)
                }
            } catch {
                throw session.blamed(for: error)
            }
        } catch {
            try await storage.run { _ in try room.request.remove() }
            throw error
        }
    }
}
