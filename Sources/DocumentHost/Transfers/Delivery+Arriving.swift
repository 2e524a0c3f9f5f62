import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// What was made here, at its provider (CONT-7): folders first, then what lies in them.
extension Delivery {
    enum Made {
        /// The folders around it, if they were not there.
        case around
        /// It is a folder, and is there now.
        case itself
    }

    /// Makes the folders around an item at the provider that were made here, from the outside in; and the item, when it
    /// is such a folder.
    func makeArriving(
        foldersOf item: IndexedItem, preparing prepare: Sender.Preparation?, with session: ProviderSession
    ) async throws(DocumentError) -> Made {
        let isFolder = item.isArriving && item.item.kind != .document
        guard isFolder || item.item.parentID?.isArriving == true else { return .around }
        var missing: [ItemIdentifier] = isFolder ? [item.id] : []
        var next = item.item.parentID
        while let id = next, id.isArriving, missing.count < ItemLineage.deepest {
            missing.append(id)
            next = try storage.read { try $0.item(id, in: item.domain) }?.item.parentID
        }
        for id in missing.reversed() {
            try await make(folder: id, in: item.domain, preparing: prepare, with: session)
        }
        return isFolder ? .itself : .around
    }

    private func make(
        folder id: ItemIdentifier, in domain: DomainName, preparing prepare: Sender.Preparation?,
        with session: ProviderSession
    ) async throws(DocumentError) {
        try await locks.withLock(ItemKey(domain: domain, id: id)) { () async throws(DocumentError) in
            guard let folder = try await prepared(id, in: domain, prepare), let parent = folder.item.parentID else {
                return
            }
            let heard = try made.heard(of: domain)
            let new: Item
            do throws(DocumentError) {
                // Asked again after a crash, it is not made twice: its name here is that of the operation, too.
                new = try await folders.make(folder, in: parent, "\(id)", session)
            } catch {
                guard error.code == .noSuchItem else {
                    if error.code == .cancelled { throw error }
                    throw error.wrapped("\(try location(of: folder)) cannot be made on the remote: \(error.message)")
                }
                // The folder around it is gone there by now.
                let parent = try await folders.revive(parent, in: domain, for: "\(id)", with: session)
                new = try await folders.make(folder, in: parent, "\(id)", session)
            }
            guard new.kind.isFolder else {
                throw session.broken("was asked to make a folder in \(domain), and made a \(new.kind)")
            }
            try identify(folder, as: new.id)
            try await storage.run { try $0.revive(id, as: new, in: domain) }
            _ = try await made.isGone(new.id, of: domain, since: heard, session)
        }
    }

    /// A folder that is to be made, at a place that nothing is in the way of: it may have been moved since somebody looked.
    ///
    /// - Returns: nil when there is none any more, or its provider knows it by now.
    private func prepared(
        _ id: ItemIdentifier, in domain: DomainName, _ prepare: Sender.Preparation?
    ) async throws(DocumentError) -> IndexedItem? {
        var looked: IndexedItem?
        while let folder = try storage.read({ try $0.item(id, in: domain) }), folder.isArriving {
            if let looked, looked.item.parentID == folder.item.parentID, looked.item.name == folder.item.name {
                return folder
            }
            try await prepare?(folder.key)
            looked = folder
        }
        return nil
    }

    /// Makes a document at the provider; beside what has its name there by now, under a name that says so.
    func makeArriving(_ sending: Sending, with turn: ProviderTurn) async throws(DocumentError) {
        guard let parent = sending.item.item.parentID, let name = sending.item.item.name else {
            throw DocumentError(.internal, "\(sending.location) is in no folder.")
        }
        var call = ProviderCall.CreateCall(
            parentID: parent, name: name, kind: sending.item.item.kind, contentsPath: sending.snapshot.path.string,
            modified: sending.snapshot.source?.modified, operation: sending.operation)
        let session = turn.session
        let heard = try made.heard(of: sending.item.domain)
        var attempt = 0
        while true {
            do throws(DocumentError) {
                let item = try await create(call, for: sending.location, with: turn)
                guard item.kind == call.kind else {
                    throw session.broken("made a \(item.kind) of \(sending.location)")
                }
                return try await record(sending, asNew: item, since: heard, with: session)
            } catch {
                switch error.code {
                case .noSuchItem where call.parentID == parent:
                    call.parentID = try await folders.revive(
                        parent, in: sending.item.domain, for: sending.operation, with: session)
                case .nameCollision where attempt < Self.mostNames:
                    if attempt == 0, let item = try await same(as: sending, in: call.parentID, with: turn) {
                        return try await record(sending, asNew: item, since: heard, with: session)
                    }
                    attempt += 1
                    let date = ConflictName.date(of: sending.snapshot.source?.modified ?? .zero)
                    call.name = try ConflictName.make(for: name, at: date, attempt: attempt)
                    call.operation = "\(sending.operation)-\(attempt)"
                default: throw error
                }
            }
        }
    }

    private static var mostNames: Int { 20 }

    /// What has the name at the provider, when its contents are the same: an earlier answer was lost, or somebody else
    /// has put the same document there (VER-15).
    private func same(
        as sending: Sending, in parent: ItemIdentifier, with turn: ProviderTurn
    ) async throws(DocumentError) -> Item? {
        guard let name = sending.item.item.name,
            let found = try? await folders.existing(
                name, of: sending.item, in: parent, turn.session, because: DocumentError(.nameCollision, "")),
            found.size == nil || found.size == sending.snapshot.identity.size
        else { return nil }
        let (request, file) = try await storage.run { store throws in
            let request = try store.root.staging.makeRequest(.fetching(sending.item.domain))
            return (request, try request.makeFile())
        }
        do throws(DocumentError) {
            let provided = try await turn.taken(for: sending.location) { session throws(DocumentError) in
                try await session.startProviding(
                    found.id, stagingPath: file.path.string, contentVersion: [], onProgress: { _ in })
            }
            let item = provided.item
            return try await storage.run { store in
                defer { try? request.remove() }
                let stamp = ItemStamp(
                    domain: sending.item.domain, id: item.id, contentVersion: item.version.content,
                    size: item.size ?? 0, modified: item.modified)
                let verified = try request.verify(file, size: item.size, sha256: provided.sha256, stamp: stamp)
                return try store.root.staging.haveSameContents(verified, sending.snapshot) ? item : nil
            }
        } catch {
            _ = try? await storage.run { _ in try request.remove() }
            // What was not looked at is not known to be another.
            if error.code == .busy || error.code == .cancelled { throw error }
            return nil
        }
    }

    /// The provider has it, under an identifier of its own: whoever uses it goes on doing so.
    ///
    /// - Parameter heard: how far the feed had been read when the provider was asked.
    func record(
        _ sending: Sending, asNew item: Item, since heard: SyncAnchor?, with session: ProviderSession
    ) async throws(DocumentError) {
        try identify(sending.item, as: item.id)
        let key = ItemKey(domain: sending.item.domain, id: item.id)
        if key == sending.item.key {
            _ = try await storage.run { try $0.finish(sending, asNew: item) }
        } else {
            try await locks.withLock(key) { () async throws(DocumentError) in
                _ = try await storage.run { try $0.finish(sending, asNew: item) }
            }
        }
        _ = try await made.isGone(item.id, of: key.domain, since: heard, session)
    }

    /// Claims and presenters follow first: whoever asks from now on meets them.
    private func identify(_ item: IndexedItem, as id: ItemIdentifier) throws(DocumentError) {
        guard id != item.id else { return }
        broker.identified(try storage.read { try $0.coordinated(item) }, as: id)
    }

    private func location(of item: IndexedItem) throws(DocumentError) -> Location {
        try storage.read { try $0.location(of: item.id, in: item.domain) } ?? Location(domain: item.domain)
    }
}
