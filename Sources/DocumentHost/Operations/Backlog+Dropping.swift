import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Documents that were removed here while they were sent: what their provider has of them is to be known first.
extension Backlog {
    /// Finds out what came of a sending that a removal has called off, unless that is known.
    ///
    /// - Returns: false while it is still under way.
    func settleCalledOff(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Bool {
        guard let now = try storage.read({ try $0.open(entry) }), now.payload.calledOff != nil, let id = now.itemID
        else { return true }
        let isSettled = try await locks.withLockIfFree(ItemKey(domain: entry.domain, id: id)) {
            () async throws(DocumentError) -> Bool in
            // It may have been answered for in between.
            guard let now = try storage.read({ try $0.open(entry) }), now.payload.calledOff != nil else { return true }
            let there = try await sent(now, on: domain)
            try await storage.run { try $0.settle(now, as: there) }
            return true
        }
        return isSettled ?? false
    }

    /// What the provider has by a sending that it has not answered for; nil: nothing of it is there.
    private func sent(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Item? {
        if let id = entry.itemID, !id.isArriving, let there = try await lookIfAllowed(id, on: domain) {
            if there.version.content == entry.payload.base?.content { return nil }
            return try await ifSent(there, by: entry, on: domain)
        }
        // The folder around it is made first: where it is not, nothing was.
        guard entry.payload.isMaking, let folder = entry.payload.parentID, !folder.isArriving,
            let name = entry.payload.name
        else { return nil }
        let there: Item?
        do throws(DocumentError) {
            there = try await folders.existing(
                try Self.askedName(name, of: entry), isFolder: false, in: folder, of: entry.domain, domain.provider)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            there = nil
        }
        guard let there else { return nil }
        return try await ifSent(there, by: entry, on: domain)
    }

    /// Beside what had its name there, if something had.
    private static func askedName(_ name: ItemName, of entry: JournalEntry) throws(DocumentError) -> ItemName {
        guard entry.payload.attempt > 0 else { return name }
        return try ConflictName.make(
            for: name, at: ConflictName.date(of: entry.payload.file?.modified ?? .zero), attempt: entry.payload.attempt)
    }

    /// An item, when its contents are those that were sent; nil for others, which nobody here has seen.
    private func ifSent(_ there: Item, by entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Item? {
        guard there.kind == .document, there.size == nil || there.size == entry.payload.file?.size else { return nil }
        let (request, file) = try await storage.run { store throws in
            let request = try store.root.staging.makeRequest(.fetching(entry.domain))
            return (request, try request.makeFile())
        }
        do throws(DocumentError) {
            let provided = try await domain.provider.startProviding(
                there.id, stagingPath: file.path.string, contentVersion: [], onProgress: { _ in })
            let item = provided.item
            return try await storage.run { store in
                defer { try? request.remove() }
                let stamp = ItemStamp(
                    domain: entry.domain, id: item.id, contentVersion: item.version.content, size: item.size ?? 0,
                    modified: item.modified)
                let verified = try request.verify(file, size: item.size, sha256: provided.sha256, stamp: stamp)
                return try store.areCalledOff(verified, by: entry) ? item : nil
            }
        } catch {
            _ = try? await storage.run { _ in try request.remove() }
            if [.transient, .resolvable].contains(error.code.errorClass) || error.code == .cancelled { throw error }
            return nil
        }
    }
}
