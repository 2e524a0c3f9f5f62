import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// One changed document to its provider: snapshot, send, record; and what follows when the remote has changed too.
struct Delivery: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    let storage: StorageThreads
    let domains: DomainRegistry
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let owner: ClaimOwner
    let logger: Logger
    /// How many documents go out at once.
    let permits: Permits

    /// Sends an item if it is changed.
    func deliver(_ key: ItemKey, _ report: @escaping ProgressObserver) async throws(DocumentError) {
        let domain = try domains.domain(key.domain)
        guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }) else { return }
        switch item.state {
        case .changed, .sending: break
        case .conflict:
            throw DocumentError(
                .inConflict,
                "\(try location(of: item)) was changed on both sides; docent resolve says which contents to keep.")
        case .placeholder, .materialising, .materialised, .outdated, .nameClash: return
        }
        let session = domain.provider
        // Nobody writes while the snapshot is made; they may as soon as it is.
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .reading, by: owner)
        var isClaimed = true
        defer { if isClaimed { broker.end(claim) } }
        let recreated = try await permits.withPermit { () async throws(DocumentError) -> Bool in
            try await locks.withLock(key) { () async throws(DocumentError) -> Bool in
                let sending = try await begin(key)
                broker.end(claim)
                isClaimed = false
                return try await send(sending, to: session, report)
            }
        }
        if recreated { logger.notice("an edit survived a deletion", metadata: ["item": "\(key.domain):\(key.id)"]) }
    }

    /// A sending that the host's death interrupted after the provider was asked is taken up under its old name, so that
    /// it is not done twice.
    private func begin(_ key: ItemKey) async throws(DocumentError) -> Sending {
        let interrupted = try storage.read { index in
            try index.journal(of: key.id, in: key.domain).last { $0.action == .send }
        }
        return try await storage.run { store in
            guard let interrupted else { return try store.beginSending(key.id, in: key.domain) }
            return try store.resumeSending(interrupted)
        }
    }

    /// Returns whether the document had to be made anew.
    private func send(
        _ sending: Sending, to session: ProviderSession, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> Bool {
        do throws(DocumentError) {
            // PROV-9: after the write; one call may stand for several.
            try await session.itemChanged(sending.item.id)
            let call = ProviderCall.ModifyCall(
                id: sending.item.id, baseVersion: sending.base.contentOnly,
                contentsPath: sending.snapshot.path.string, modified: sending.snapshot.source?.modified,
                operation: sending.operation)
            let item = try await onceMoreAfterDeath { () async throws(DocumentError) in
                try await session.modify(call, onProgress: report)
            }
            guard item.id == sending.item.id else {
                throw DocumentError(
                    .contractBroken, "The provider took \(sending.location) and answered with another item.")
            }
            _ = try await storage.run { try $0.finish(sending, as: item) }
            return false
        } catch {
            switch error.code {
            case .versionNoLongerAvailable:
                try await settle(sending, with: session, because: error)
                return false
            case .noSuchItem:
                return try await makeAnew(sending, with: session, because: error)
            default:
                try await storage.run { try $0.abandon(sending, because: error) }
                throw error.code == .cancelled
                    ? error : error.wrapped("\(sending.location) cannot be sent: \(error.message)")
            }
        }
    }

    /// The remote has another version than the change began from. Equal contents are no conflict (VER-15); else both
    /// are kept (VER-2).
    private func settle(
        _ sending: Sending, with session: ProviderSession, because cause: DocumentError
    ) async throws(DocumentError) {
        do throws(DocumentError) {
            let theirs = try await storage.run { store throws in
                let request = try store.root.staging.makeRequest()
                return (request, try request.makeFile())
            }
            let remote: Item
            do throws(DocumentError) {
                remote = try await session.startProviding(
                    sending.item.id, stagingPath: theirs.1.path.string, contentVersion: [], onProgress: { _ in })
            } catch {
                try await storage.run { _ in try theirs.0.remove() }
                throw error
            }
            let isSame = try await storage.run { store in
                defer { try? theirs.0.remove() }
                let stamp = ItemStamp(
                    domain: sending.item.domain, id: remote.id, contentVersion: remote.version.content,
                    size: remote.size ?? 0, modified: remote.modified)
                let verified = try theirs.0.verify(theirs.1, size: remote.size, stamp: stamp)
                if try store.root.staging.haveSameContents(verified, sending.snapshot) {
                    _ = try store.finish(sending, as: remote)
                    return true
                }
                _ = try store.recordConflict(sending, remote: remote, theirs: verified, because: cause)
                return false
            }
            if isSame { return }
        } catch {
            try await storage.run { try $0.abandon(sending, because: error) }
            throw error
        }
        throw DocumentError(
            .inConflict,
            "\(sending.location) was changed here and on the remote; both contents are kept. See docent status \(sending.location), then docent resolve \(sending.location) --keep local, remote or both.",
            causes: [cause.message])
    }

    /// The item is gone on the remote, on positive evidence: the edit survives as a new item (VER-15).
    private func makeAnew(
        _ sending: Sending, with session: ProviderSession, because cause: DocumentError
    ) async throws(DocumentError) -> Bool {
        do throws(DocumentError) {
            guard let parent = sending.item.item.parentID, let name = sending.item.item.name else { throw cause }
            let call = ProviderCall.CreateCall(
                parentID: parent, name: name, kind: sending.item.item.kind,
                contentsPath: sending.snapshot.path.string, modified: sending.snapshot.source?.modified,
                operation: sending.operation)
            let item = try await onceMoreAfterDeath { () async throws(DocumentError) in try await session.create(call) }
            _ = try await storage.run { try $0.finish(sending, asNew: item) }
            return true
        } catch {
            try await storage.run { try $0.abandon(sending, because: error) }
            let path = storage.store.root.tree.path(of: sending.location)
            throw error.wrapped(
                "\(sending.location) is gone on the remote, and your edit of it could not be sent as a new document; it is kept at \(path)."
            )
        }
    }

    private func location(of item: IndexedItem) throws(DocumentError) -> Location {
        try storage.read { try $0.location(of: item.id, in: item.domain) } ?? Location(domain: item.domain)
    }
}
