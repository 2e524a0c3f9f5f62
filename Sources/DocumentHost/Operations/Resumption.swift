import DocumentModel
import DocumentStorage

/// Ends the pause of one document in the way that its user says for what was changed here (VER-14). Until the remote agrees, it
/// stays paused, and nothing that is here goes anywhere.
struct Resumption: Sendable {
    let storage: StorageThreads
    let locks: KeyedLock<ItemKey>
    let claims: ReplacingClaim
    let sender: Sender
    let resolution: ConflictResolver
    let fetcher: RemoteVersionFetcher

    /// How often the remote is written over while others go on changing it there.
    private static let mostRounds = 5

    /// What has to be done for the choice, but for the end of the pause itself.
    ///
    /// - Returns: false when it was renamed while it was waited for, and is to be looked up anew.
    func settle(
        _ item: IndexedItem, at location: Location, _ behavior: ResumeBehavior, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        switch behavior {
        // What is sent when the pause has ended finds out whether both sides were changed.
        case .keepBoth: return true
        case .failOnConflict:
            try refuseConflict(of: item, at: location)
            try await sender.sendThoughPaused(item.key, settling: .refusing)
            return true
        case .keepLocal: return try await keepLocal(item, at: location, on: domain)
        case .dropLocal: return try await dropLocal(item, at: location, on: domain)
        }
    }

    private func refuseConflict(of item: IndexedItem, at location: Location) throws(DocumentError) {
        guard item.state == .conflict else { return }
        throw DocumentError(
            .localVersionConflicting,
            "\(location) is in conflict already: docent resolve \(location) says which contents it keeps.")
    }

    /// Sent over what the remote has: over the very version that it was compared with, so that nobody loses what was not seen.
    private func keepLocal(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        var refusal: DocumentError?
        for _ in 0..<Self.mostRounds {
            let now = try storage.read { try $0.item(item.id, in: item.domain) } ?? item
            if now.state == .conflict {
                guard try await resolution.resolve(now, at: location, keeping: .local, as: nil, on: domain) else {
                    return false
                }
            }
            do throws(DocumentError) {
                try await sender.sendThoughPaused(item.key, settling: .keepingBoth)
                return true
            } catch {
                guard error.code == .inConflict else { throw error }
                refusal = error
            }
        }
        throw refusal ?? DocumentError(.busy, "\(location) is changed on the remote again and again: try it later.")
    }

    /// What the remote has is brought here first: without it, what is here stays.
    private func dropLocal(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        guard item.isUnsent else { return true }
        guard item.state != .conflict else {
            throw DocumentError(
                .inConflict,
                "\(location) is in conflict already: docent resolve \(location) --keep remote drops what is here.")
        }
        guard let theirs = try await fetcher.fetch(item, at: location, on: domain, { _ in }) else {
            return try await takeBack(item, at: location, on: domain)
        }
        return try await replace(item, at: location, with: theirs.identifier)
    }

    /// The remote has still what the changes began from.
    private func takeBack(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        let (now, kept) = try storage.read { index in
            (try index.item(item.id, in: item.domain), try index.keptVersions(of: item.id, in: item.domain))
        }
        // It was sent while the remote was asked: nothing is left to be dropped.
        guard let now, now.isUnsent else { return true }
        let base = kept.first { $0.role == .base && $0.version.content == now.synced?.content }
        guard let base else {
            throw DocumentError(
                .versionNoLongerAvailable,
                "What the changes of \(location) began from was not kept here: docent resume \(location) --keep-local sends them, and docent versions \(location) shows what else there is."
            )
        }
        return try await replace(item, at: location, with: base.identifier)
    }

    private func replace(
        _ item: IndexedItem, at location: Location, with version: String
    ) async throws(DocumentError) -> Bool {
        guard let claim = try await claims(on: item, at: location) else { return false }
        defer { claims.broker.end(claim) }
        try await locks.withLock(item.key) { () async throws(DocumentError) in
            _ = try await storage.run { try $0.restore(version, of: item.id, in: item.domain, agreed: true) }
        }
        return true
    }
}
