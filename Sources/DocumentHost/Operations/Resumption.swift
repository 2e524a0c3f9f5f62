import DocumentModel
import DocumentStorage

/// Ends the pause of one document in the way that its user says for what was changed here (VER-14). Until the remote agrees, it
/// stays paused, and nothing that is here goes anywhere.
struct Resumption: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let claims: ReplacingClaim
    let disk: DiskCheck
    let pauses: PauseGate
    let sender: Sender
    let resolution: ConflictResolver
    let fetcher: RemoteVersionFetcher

    /// How often the remote is asked again while others go on changing it there, or the document here.
    private static let mostRounds = 5

    /// What has to be done for the choice, but for the end of the pause itself.
    ///
    /// - Parameter found: looked up at `location`; later it may have another name, and another identifier.
    func settle(
        _ found: IndexedItem, at location: Location, _ behavior: ResumeBehavior, on domain: Domain
    ) async throws(DocumentError) {
        var refusal: DocumentError?
        for _ in 0..<Self.mostRounds {
            // What a program is writing is what is here, too, and is waited for.
            let item = try await disk.lookWhenUnused(found, at: location)
            // Nothing is left to be decided: it was sent, or never changed.
            guard item.isUnsent else { return }
            let place = try storage.read { try $0.location(of: item.id, in: item.domain) } ?? location
            do throws(DocumentError) {
                switch behavior {
                // What is sent when the pause has ended finds out whether both sides were changed.
                case .keepBoth: return
                case .failOnConflict: try await send(item, at: place)
                case .keepLocal: try await keepLocal(item, at: place, on: domain)
                case .dropLocal: try await dropLocal(item, at: place, on: domain)
                }
                refusal = nil
            } catch {
                // Sent over what the remote had a moment ago, and not what it got since.
                guard behavior == .keepLocal, error.code == .inConflict else { throw error }
                refusal = error
            }
        }
        throw refusal
            ?? DocumentError(.busy, "\(location) is changed again and again, here or on the remote: try it later.")
    }

    private func send(_ item: IndexedItem, at location: Location) async throws(DocumentError) {
        guard item.state != .conflict else {
            throw DocumentError(
                .localVersionConflicting,
                "\(location) is in conflict already: docent resolve \(location) says which contents it keeps.")
        }
        try await sender.send(item.key, settling: .refusing)
    }

    /// Sent over what the remote has: over the very version that it was compared with, so that nobody loses what was not seen.
    private func keepLocal(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) {
        if item.state == .conflict {
            let isDone = try await resolution.resolve(item, at: location, keeping: .local, as: nil, on: domain)
            // Renamed while it was waited for: it is looked at anew.
            guard isDone else { return }
        }
        try await sender.send(item.key)
    }

    /// What the remote has is brought here first: without it, what is here stays.
    private func dropLocal(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) {
        guard item.state != .conflict else {
            throw DocumentError(
                .inConflict,
                "\(location) is in conflict already: docent resolve \(location) --keep remote drops what is here.")
        }
        let theirs = try await fetcher.fetch(item, at: location, on: domain, needed: true) { _ in }
        // It was sent while the remote was asked: nothing is left to be dropped.
        guard let theirs else { return }
        guard let claim = try await claims(on: item, at: location) else { return }
        defer { broker.end(claim) }
        let isPausedAround = try pauses.isPaused(item.key)
        guard pauses.isResuming(item), !isPausedAround else {
            throw DocumentError(
                .cannotSynchronize,
                "\(location), or a folder around it, was paused anew: nothing of it was dropped, and it stays paused.")
        }
        let coordinated = try storage.read { try $0.coordinated(item) }
        try await locks.withLock(item.key) { () async throws(DocumentError) in
            let restored = try await storage.run { store throws -> DocumentStore.Restored? in
                // A version leaves when newer ones come, and the edit may have been sent: it is looked at anew.
                let kept = try store.root.index.read { try $0.keptVersions(of: item.id, in: item.domain) }
                guard kept.contains(where: { $0.identifier == theirs.identifier }) else { return nil }
                return try store.restore(theirs.identifier, of: item.id, in: item.domain, agreed: true)
            }
            for version in restored?.gained ?? [] { broker.version(version.kept, .gained, of: coordinated, in: claim) }
            for version in restored?.lost ?? [] { broker.version(version.kept, .lost, of: coordinated, in: claim) }
        }
    }
}
