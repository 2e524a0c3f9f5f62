import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Exchanges sides of conflicts with the remote, one at a time.
struct SideStore: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let fetches: KeyedLock<ItemKey>
    let owner: ClaimOwner
    /// What this device is called.
    let deviceName: String

    /// Has the remote keep what is here of a document in conflict.
    ///
    /// - Returns: false when somebody writes to the document, or does not let go of it.
    func keep(_ item: IndexedItem, on domain: Domain, pausedBy pauses: PauseGate) async throws(DocumentError) -> Bool {
        let coordinated = try storage.read { try $0.coordinated(item) }
        // Nobody writes while it is copied.
        guard let claim = try await broker.claimUnlessUsed(coordinated, for: .reading(.withoutChanges), by: owner)
        else { return false }
        let begun: SideKeeping?
        do throws(DocumentError) {
            begun = try await locks.withLock(item.key) { () async throws(DocumentError) in
                try await storage.run { try $0.beginKeepingSide(of: item.id, in: item.domain) }
            }
        } catch {
            broker.end(claim)
            throw error
        }
        broker.end(claim)
        guard let begun else { return true }
        // As it would be sent: every device that compares it with others gets to the same.
        let base = try storage.read { try $0.conflictBase(of: item) }
        let written = (begun.snapshot.source?.modified ?? .zero).following(base?.modified)
        let call = ProviderCall.KeepVersionCall(
            id: item.id, contentsPath: begun.snapshot.path.string, role: .conflict,
            modified: written, savedBy: deviceName, sha256: begun.digest,
            operation: begun.side.operation)
        let session = domain.provider
        do throws(DocumentError) {
            let version = try await pauses.untilPaused(item.key) { () async throws(DocumentError) in
                try await onceMoreAfterDeath { () async throws(DocumentError) in try await session.keepVersion(call) }
            }
            if let version {
                do throws(DocumentError) {
                    try await storage.run { try $0.finish(begun, as: version) }
                } catch {
                    throw session.blamed(for: error)
                }
            } else {
                try await storage.run { _ in try begun.request.remove() }
            }
        } catch {
            try await storage.run { _ in try begun.request.remove() }
            throw error
        }
        return true
    }

    /// Has the remote keep no more what this device has given it.
    func drop(_ side: OwnSide, on domain: Domain) async throws(DocumentError) {
        let session = domain.provider
        var versions: [String] = []
        if let version = side.version {
            let isShared = try storage.read { try $0.versionsToStay(besides: side, in: domain.name) }.contains(version)
            if !isShared { versions = [version] }
        } else {
            // It may have been kept, and not been answered for.
            do throws(DocumentError) {
                // The same contents may be kept once more since, and that is needed.
                let own = try storage.read { try $0.ownSides(of: side.itemID, in: domain.name) }
                let needed = Set(own.compactMap(\.version))
                versions = try await session.versions(of: side.itemID)
                    .filter { $0.sha256 == side.digest && $0.savedBy == deviceName && !needed.contains($0.id) }
                    .map(\.id)
            } catch {
                guard error.code == .noSuchItem else { throw error }
            }
        }
        for version in versions { try await session.removeVersion(version, of: side.itemID) }
        try await storage.run { try $0.forget(side) }
    }

    /// Has the remote keep a side no more that was resolved here.
    func remove(_ side: RemoteSide, on domain: Domain) async throws(DocumentError) {
        if side.isSettled { try await domain.provider.removeVersion(side.version, of: side.itemID) }
        try await storage.run { try $0.forget(side, in: domain.name) }
    }

    /// Asks which sides the remote keeps of a document. Presenters hear of those that came and went (COORD-27, VER-11).
    func list(_ item: IndexedItem, on domain: Domain) async throws(DocumentError) -> DocumentStore.SideChange {
        let versions = try await domain.provider.versions(of: item.id)
        let change = try await storage.run { try $0.record(versions, of: item) }
        if !change.gained.isEmpty || !change.lost.isEmpty {
            let coordinated = try storage.read { try $0.coordinated(item) }
            for side in change.gained { broker.version(side.identifier, .gained, of: coordinated) }
            for side in change.lost {
                broker.version(side.identifier, .resolved, of: coordinated)
                broker.version(side.identifier, .lost, of: coordinated)
            }
        }
        return change
    }

    /// Brings the contents of a side (VER-8). Nobody who uses the document is waited for.
    func fetch(
        _ side: RemoteSide, of item: IndexedItem, at location: Location, on domain: Domain,
        _ report: @escaping RemoteVersionFetcher.ProgressObserver
    ) async throws(DocumentError) -> KeptVersion {
        // Whoever asks meanwhile finds it here.
        try await fetches.withLock(item.key) { () async throws(DocumentError) -> KeptVersion in
            if let known = try await storage.run({ try $0.fetchedSide(side, in: item.domain) }) { return known }
            let session = domain.provider
            let room = try await storage.run { try $0.makeRoomForRemoteVersion(in: item.domain) }
            report(TransferProgress(done: 0, expected: side.size.map { UInt64(max($0, 0)) }))
            let provided: ProvidedVersion
            do throws(DocumentError) {
                let call = ProviderCall.ProvideVersionCall(
                    id: item.id, versionID: side.version, stagingPath: room.file.path.string)
                provided = try await session.provideVersion(call, onProgress: report)
            } catch {
                try await storage.run { _ in try room.request.remove() }
                throw error.about(location)
            }
            let kept: KeptVersion
            do throws(DocumentError) {
                kept = try await storage.run {
                    try $0.keepSide(room.file, of: room.request, as: provided, side: side, in: item.domain)
                }
            } catch {
                throw session.blamed(for: error)
            }
            // It is among those whose contents are here from now on (VER-9).
            broker.version(side.identifier, .gained, of: try storage.read { try $0.coordinated(item) })
            return kept
        }
    }
}
