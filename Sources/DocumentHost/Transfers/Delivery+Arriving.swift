import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Folders that were made here, at their provider (CONT-7): they come before what lies in them.
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
            let answer: FolderReviver.Made
            do throws(DocumentError) {
                // Not every provider says no to what is made in nothing.
                let isGone = try storage.read { index in
                    try index.item(parent, in: domain).map { try index.isGoneThere($0) } ?? false
                }
                let place =
                    isGone ? try await folders.revive(parent, around: folder, for: "\(id)", with: session) : parent
                // Asked again after a crash, it is not made twice: its name here is that of the operation, too.
                answer = try await folders.make(folder, in: place, "\(id)", session)
            } catch {
                guard error.code == .noSuchItem else {
                    if error.code == .cancelled { throw error }
                    throw error.wrapped("\(try location(of: folder)) cannot be made on the remote: \(error.message)")
                }
                // The folder around it is gone there by now.
                let parent = try await folders.revive(parent, around: folder, for: "\(id)", with: session)
                answer = try await folders.make(folder, in: parent, "\(id)", session)
            }
            let new = answer.item
            guard new.kind.isFolder else {
                throw session.broken("was asked to make a folder in \(domain), and made a \(new.kind)")
            }
            try identify(folder, as: new.id)
            try await storage.run { try $0.revive(id, as: new, isBeside: answer.isBeside, in: domain) }
            // It may be a package, as its provider says: who uses what is in it uses the package (COORD-21).
            if !broker.isIdle, let known = try storage.read({ try $0.item(new.id, in: domain) }) {
                broker.placed(try storage.read { try $0.coordinated(known) })
            }
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

    /// The provider has it, under an identifier of its own: whoever uses it goes on doing so.
    ///
    /// - Parameters:
    ///   - earlier: what it has there, where that is not what was sent now, but what that began from.
    ///   - heard: how far the feed had been read when the provider was asked.
    ///   - isUnanswered: is set when that could not be recorded now, and the provider is to be asked again.
    func record(
        _ sending: Sending, asNew item: Item, having earlier: StagedFile? = nil, since heard: SyncAnchor?,
        with session: ProviderSession, _ isUnanswered: Flag
    ) async throws(DocumentError) {
        // Nobody uses what was removed meanwhile.
        if try storage.read({ try $0.isCalledOff(sending) }) {
            _ = try await storage.run { try $0.finish(sending, asNew: item, having: earlier) }
            return
        }
        let key = ItemKey(domain: sending.item.domain, id: item.id)
        if key == sending.item.key {
            digests.take(try await storage.run { try $0.finish(sending, asNew: item, having: earlier) })
        } else {
            // Somebody may just bring it.
            try await locks.withLock(key) { () async throws(DocumentError) in
                try await letGoOfBrought(item.id, madeBy: sending, isUnanswered)
                try identify(sending.item, as: item.id)
                digests.take(try await storage.run { try $0.finish(sending, asNew: item, having: earlier) })
            }
        }
        // What was made when this was asked for before may have been removed before anybody here knew of it.
        _ = try await made.isGone(item.id, of: key.domain, since: sending.isRepeated ? nil : heard, session)
    }

    /// The provider's news were quicker than its answer, and somebody has brought what was made: the same contents lie where they were
    /// sent from, and the two are one document. For those who have a turn at it by its new identifier.
    private func letGoOfBrought(
        _ id: ItemIdentifier, madeBy sending: Sending, _ isUnanswered: Flag
    ) async throws(DocumentError) {
        let domain = sending.item.domain
        guard id != sending.item.id, let known = try storage.read({ try $0.item(id, in: domain) }), known.id == id,
            known.local != nil, !known.isUnsent
        else { return }
        let coordinated = try storage.read { try $0.coordinated(known) }
        guard let claim = broker.claimWithoutWaiting(coordinated, for: .evicting, by: owner.onBehalf) else {
            isUnanswered.set()
            throw DocumentError(
                .busy,
                "\(sending.location) was made on the remote as \(coordinated.location), which is in use here; it is tried again."
            )
        }
        defer { broker.end(claim) }
        do throws(DocumentError) {
            try await storage.run { _ = try $0.evict(id, in: domain, evenIfKept: true) }
        } catch {
            // What was changed of it here is its own.
            if error.code == .unsyncedEdits { return }
            isUnanswered.set()
            throw error
        }
    }

    /// Claims and presenters follow first: whoever asks from now on meets them.
    private func identify(_ item: IndexedItem, as id: ItemIdentifier) throws(DocumentError) {
        guard id != item.id else { return }
        // It may have been moved since it was asked for.
        let now = try storage.read { try $0.coordinated(try $0.item(item.id, in: item.domain) ?? item) }
        broker.identified(now, as: id)
    }
}
