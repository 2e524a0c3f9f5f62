import DocumentModel
import DocumentStorage
import FileCoordination

/// Ends the pause of one document in the way that its user says for what was changed here (VER-14). Until the remote agrees, it
/// stays paused, and nothing that is here goes anywhere.
struct Resumption: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let claims: ReplacingClaim
    let disk: DiskCheck
    let pauses: PauseGate
    let resuming: PauseGate.Resuming
    let sender: Sender
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
            if behavior != .keepBoth { try refuseConflict(of: item, at: place, behavior) }
            do throws(DocumentError) {
                switch behavior {
                // What is sent when the pause has ended finds out whether both sides were changed.
                case .keepBoth: return
                case .failOnConflict: try await sender.send(item.key, settling: .refusing)
                case .keepLocal: try await sender.send(item.key, settling: .overwriting)
                case .dropLocal:
                    // What is written from then on began from what took its place, and is nothing that was to be dropped.
                    if try await dropLocal(item, at: place, on: domain) { return }
                }
                refusal = nil
                if try storage.read({ try $0.item(row: found.row, in: found.domain) })?.isUnsent != true { return }
            } catch {
                // Sent over what the remote had a moment ago, and not over what it got since.
                guard behavior == .keepLocal, error.code == .versionNoLongerAvailable else { throw error }
                refusal = error
            }
        }
        throw refusal
            ?? DocumentError(.busy, "\(location) is changed again and again, here or on the remote: try it later.")
    }

    private func refuseConflict(
        of item: IndexedItem, at location: Location, _ behavior: ResumeBehavior
    ) throws(DocumentError) {
        guard item.state == .conflict else { return }
        let way =
            switch behavior {
            case .keepLocal: " --keep local sends what is here."
            case .dropLocal: " --keep remote drops what is here."
            default: " says which contents it keeps."
            }
        throw DocumentError(
            behavior == .failOnConflict ? .localVersionConflicting : .inConflict,
            "\(location) is in conflict already: docent resolve \(location)\(way)")
    }

    /// What the remote has is brought here first: without it, what is here stays.
    ///
    /// - Returns: false when nothing was dropped, and it is to be looked at anew.
    private func dropLocal(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        let theirs = try await fetcher.fetch(item, at: location, on: domain, needed: true) { _ in }
        // It was sent while the remote was asked, or renamed while it was waited for.
        guard let theirs, let claim = try await claims(on: item, at: location) else { return false }
        var effect = ClaimEffect.unchanged
        defer { broker.end(claim, effects: [effect]) }
        let coordinated = try storage.read { try $0.coordinated(item) }
        let change = try await locks.withLock(item.key) { () async throws(DocumentError) -> VersionChange? in
            let isPaused = try pauses.isPaused(item.key)
            guard pauses.isGoingOn(resuming), !isPaused else {
                throw DocumentError(
                    .cannotSynchronize,
                    "\(location), or a folder around it, was paused anew: nothing of it was dropped, and it stays paused."
                )
            }
            return try await storage.run { try $0.replaceEdit(of: item.id, in: item.domain, by: theirs.identifier) }
        }
        guard let change else { return false }
        effect = .changed
        broker.versions(change, of: coordinated, in: claim)
        return true
    }
}
