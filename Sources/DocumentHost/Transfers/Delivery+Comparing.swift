import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Documents of which the remote has another version than the change here began from.
extension Delivery {
    private enum Comparison {
        /// The remote has what is to be sent.
        case same
        /// It has what the change began from: a program has set attributes there, for one.
        case base
        /// It has others, which are kept here, and written over.
        case overwritten(VersionChange)
        case conflict
    }

    /// The remote has another version than the change began from. Equal contents are no conflict (VER-15), nor are those that
    /// it began from: they are written over knowingly. Else both are kept (VER-2).
    ///
    /// - Returns: what is to be told of the conflict; nil when there is none.
    func settle(
        _ sending: Sending, with turn: ProviderTurn, because refusal: DocumentError?, _ settling: Settling,
        _ isUnanswered: Flag, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> DocumentError? {
        let causes = refusal.map { [$0.message] } ?? []
        let conflict = DocumentError.inConflict(at: sending.location, causes: causes)
        let theirs = try await storage.run { store throws in
            let request = try store.root.staging.makeRequest(.fetching(sending.item.domain))
            return (request, try request.makeFile())
        }
        let provided: ProvidedContents
        do throws(DocumentError) {
            provided = try await turn.taken(for: sending.location) { session throws(DocumentError) in
                try await session.startProviding(
                    sending.item.id, stagingPath: theirs.1.path.string, contentVersion: [], onProgress: { _ in })
            }
        } catch {
            try await storage.run { _ in try theirs.0.remove() }
            throw error
        }
        let remote = provided.item
        let comparison = try await storage.run { store throws -> Comparison in
            defer { try? theirs.0.remove() }
            let stamp = ItemStamp(
                domain: sending.item.domain, id: remote.id, contentVersion: remote.version.content,
                size: remote.size ?? 0, modified: remote.modified)
            let verified = try theirs.0.verify(
                theirs.1, size: remote.size, sha256: provided.sha256, stamp: stamp)
            if try store.root.staging.haveSameContents(verified, sending.snapshot) {
                _ = try store.finish(sending.compared, as: remote)
                return .same
            }
            if remote.version.content != sending.base.content, try store.isBase(of: sending, verified) { return .base }
            switch settling {
            case .refusing: throw Self.conflicting(sending, because: refusal)
            case .overwriting: return .overwritten(try store.keepOverwritten(verified, as: remote, by: sending))
            case .keepingBoth:
                _ = try store.recordConflict(sending, remote: remote, theirs: verified, because: refusal ?? conflict)
                return .conflict
            }
        }
        switch comparison {
        case .same:
            if let item = try storage.read({ try $0.item(remote.id, in: sending.item.domain) }) { digests.take(item) }
            return nil
        case .base:
            _ = try await send(sending, base: remote.version.content, to: turn, isUnanswered, report)
            return nil
        case .overwritten(let change):
            broker.versions(change, of: try storage.read { try $0.coordinated(sending.item) })
            _ = try await send(
                sending, base: remote.version.content, after: remote.modified, to: turn, isUnanswered, report)
            return nil
        case .conflict:
            try tellOfConflict(sending.item)
            // It may have been renamed since it was begun.
            return (try? location(of: sending.item)).map { .inConflict(at: $0, causes: causes) } ?? conflict
        }
    }

    static func conflicting(_ sending: Sending, because refusal: DocumentError?) -> DocumentError {
        let place = sending.location
        return DocumentError(
            .localVersionConflicting,
            "\(place) was changed on the remote, too, since it was changed here: nothing was sent. See docent versions \(place) --fetch, then docent resume \(place) with --keep-local or --drop-local, or without them to keep both.",
            causes: refusal.map { [$0.message] } ?? [])
    }

    /// Presenters hear that there is another version (COORD-27, VER-4).
    private func tellOfConflict(_ item: IndexedItem) throws(DocumentError) {
        let (now, conflict) = try storage.read { index in
            (try index.coordinated(item), try index.conflicts(in: item.domain).last { $0.itemID == item.id })
        }
        if let conflict { broker.version(conflict.identifier, .gained, of: now) }
    }
}
