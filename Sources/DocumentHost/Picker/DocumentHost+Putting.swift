import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import SystemPackage

extension DocumentHost {
    /// Copies a local document to a place, or moves it there.
    ///
    /// - Returns: the item, and what the tool is told of it.
    func put(
        _ source: FilePath, at place: Location, on domain: Domain, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> (item: IndexedItem, status: ItemStatus) {
        await settleChanges(at: place, in: domain)
        let (original, isPackage) = try await outside.look(at: source) { () -> (FilePath, Bool) in
            let original = OriginalPath.resolved(source, followingLink: !removingSource)
            return (original, OriginalPath.isPackage(original))
        }
        if isPackage {
            return try await putPackage(
                original, at: place, on: domain, removingSource: removingSource, replacing: replacing,
                onProgress: onProgress)
        }
        guard let copy = try await copyOfProvided(original, to: domain, removing: removingSource) else {
            return try await send(
                original, to: place, on: domain, removingSource: removingSource, replacing: replacing,
                onProgress: onProgress)
        }
        do throws(DocumentError) {
            let sent = try await send(
                copy.path, to: place, on: domain, removingSource: false, replacing: replacing, onProgress: onProgress)
            await remove(copy.request)
            return sent
        } catch {
            await remove(copy.request)
            throw error
        }
    }

    /// Of a document that a provider provides, the contents at one moment, read under a claim: it is free again while they
    /// are sent (COORD-14).
    ///
    /// - Returns: nil for a file that is nobody's item.
    /// - Throws: `invalidArgument` when it is to be moved: its file would be taken from under those who use it.
    private func copyOfProvided(
        _ original: FilePath, to domain: Domain, removing: Bool
    ) async throws(DocumentError) -> (path: FilePath, request: StagingRequest)? {
        let root = try await storage.run { OriginalPath.resolved($0.root.path, followingLink: true) }
        guard original.starts(with: root) else { return nil }
        if removing {
            throw DocumentError(
                .invalidArgument, "\(original) lies in the storage root: rename or move the item itself instead.")
        }
        // The folder that the domains' own lie in.
        let tree = storage.store.root.tree
        let documents = StorageRootPath(
            documents: tree.path(of: Location(domain: domain.name)).removingLastComponent())
        let place = try await storage.run { _ in try? documents.location(of: original.string) }
        guard let place else { return nil }
        let location = try storage.read { try $0.location(onDisk: place) }
        guard let item = try granter.known.item(at: location), item.item.exists else { return nil }
        guard item.item.item.kind == .document else {
            throw DocumentError(.invalidArgument, "\(location) is a folder: name a document.")
        }
        // While it is paused, nothing is claimed.
        if item.item.local == nil, try pauses.isPaused(item.key) {
            try await downloader.bringWhenResumed(item.item, of: try domains.domain(location.domain), nil)
        }
        let claim = try await broker.claim(
            item.coordinated, for: .reading, by: owner.onBehalf, nestedIn: EnclosingClaims.current)
        defer { broker.end(claim) }
        var now = try granter.current(item.key, location)
        if now.item.local == nil {
            // The file half provides it (PICK-5).
            _ = try await granter.materialiser.materialise(
                now.item, of: try domains.domain(location.domain), onProgress: nil)
            now = try granter.current(item.key, location)
        }
        let file = now.onDisk
        return try await storage.run { store in
            let request = try store.root.staging.makeRequest()
            do {
                return (try store.root.staging.snapshot(of: file, in: request).path, request)
            } catch {
                try? request.remove()
                throw error
            }
        }
    }

    private func remove(_ request: StagingRequest) async {
        do throws(DocumentError) {
            try await storage.run { _ in try request.remove() }
        } catch {
            logger.notice("a copy that was sent stays until the next start", metadata: ["error": "\(error)"])
        }
    }

    private func send(
        _ source: FilePath, to place: Location, on domain: Domain, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> (item: IndexedItem, status: ItemStatus) {
        let item = try await exporter.export(
            source, to: place, on: domain, removingSource: removingSource, replacing: replacing,
            onProgress: onProgress)
        guard domain.isDropBox else { return (item, try status(of: item)) }
        await forget(item, domain)
        // What was asked for, and not what it is called there.
        var told = item.item
        told.name = place.name
        return (item, ItemStatus(item: told, location: place, state: .placeholder, path: ""))
    }

    /// What was put into a drop box does not stay in the storage root for everybody to read.
    private func forget(_ item: IndexedItem, _ domain: Domain) async {
        do throws(DocumentError) {
            guard let place = try storage.read({ try $0.location(of: item.id, in: item.domain) }) else { return }
            _ = try await evictor.evict(item, at: place, on: domain)
        } catch {
            logger.notice(
                "a document in a drop box keeps its copy here",
                metadata: ["domain": "\(domain.name)", "error": "\(error)"])
        }
    }
}
