import DocumentModel
import DocumentStorage
import DocumentWire
import ProviderLauncher
import SystemPackage

/// Brings what the remote has of a document now beside what is here, as a version of it (VER-8, VER-14). Nothing of this
/// touches the document's file: nobody who uses it is waited for, and nobody waits for this.
struct RemoteVersionFetcher: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let fetches: KeyedLock<ItemKey>

    /// - Parameter needed: the contents are to be here also where the document began from them.
    /// - Returns: what is kept; nil when the remote has what the document here has, or began from, or is in conflict with.
    func fetch(
        _ item: IndexedItem, at location: Location, on domain: Domain, needed: Bool = false,
        _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> KeptVersion? {
        guard !item.isArriving else {
            throw DocumentError(
                .noSuchItem,
                "\(location) was made here, and its provider does not know it yet: it has no other version.")
        }
        // Whoever asks meanwhile finds it here.
        let version = try await fetches.withLock(item.key) {
            () async throws(DocumentError) -> DocumentStore.RemoteVersion in
            let session = domain.provider
            do throws(DocumentError) {
                let now = try await session.item(item.id)
                let known = try storage.read { _ throws in
                    try storage.store.knownRemoteVersion(now.version, of: item.id, in: item.domain, needed: needed)
                }
                if let known { return known }
                return try await bring(item, at: location, from: session, needed: needed, report)
            } catch {
                throw error.about(location)
            }
        }
        if version.isNew, let kept = version.kept {
            broker.version(kept.identifier, .gained, of: try storage.read { try $0.coordinated(item) })
        }
        return version.kept
    }

    private func bring(
        _ item: IndexedItem, at location: Location, from session: ProviderSession, needed: Bool,
        _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> DocumentStore.RemoteVersion {
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
            return try await locks.withLock(item.key) { () async throws(DocumentError) in
                do throws(DocumentError) {
                    return try await storage.run {
                        try $0.keepRemoteVersion(
                            room.file, of: room.request, as: provided.item, sha256: provided.sha256, answering: item,
                            needed: needed)
                    }
                } catch {
                    throw session.blamed(for: error)
                }
            }
        } catch {
            try await storage.run { _ in try room.request.remove() }
            throw error
        }
    }
}
