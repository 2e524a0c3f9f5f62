import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// Local documents into a domain: the picker modes export and move, and new folders.
struct Exporter: Sendable {
    /// So often what is to be replaced is brought, while it changes on the remote.
    private static let mostLookups = 5

    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let accesses: AccessTable
    let resolver: ItemResolver
    let follower: ChangeFollower
    let made: MadeItems
    let downloader: Downloader
    let localMoves: LocalMoves
    let owner: ClaimOwner

    /// Copies a local document to a location (PICK-3), or moves it there (PICK-4): when it has been sent, and only
    /// then, the original goes away (PICK-6).
    func export(
        _ source: FilePath, to destination: Location, on domain: Domain, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> IndexedItem {
        let mode: PickerMode = removingSource ? .move : .export
        try domain.require([mode], for: removingSource ? "moved to" : "added")
        try domain.requireModifying(destination)
        guard let name = destination.name else {
            throw DocumentError(
                .destinationExists, "\(destination) is the domain itself; add the document's new name to it.")
        }
        let type = ContentType(kind: .document, pathExtension: name.pathExtension)
        guard domain.bundle.manifest.isOffered(for: mode, types: [type]) else {
            throw DocumentError(.typeNotAccepted, "\(domain.name) does not take documents of the type \(type).")
        }
        if removingSource, source.starts(with: storage.store.root.path) {
            throw DocumentError(
                .invalidArgument, "\(source) lies in the storage root: rename or move the item itself instead.")
        }
        try await follower.freshen(domain)
        let parent = try await folder(of: destination, in: domain)
        guard !domain.isDropBox else {
            return try await deposit(
                source, as: name, in: parent, on: domain, replacing: replacing, onProgress: onProgress)
        }
        var lookups = 0
        while true {
            guard let existing = try await resolver.resolveIfPresent(destination, in: domain) else {
                let made = try await create(
                    name, kind: .document, from: source, in: parent, at: destination, removingSource, domain, onProgress
                )
                if let made { return made }
                continue
            }
            guard replacing else { throw Self.exists(destination, canBeReplaced: true) }
            guard existing.item.kind == .document else {
                throw DocumentError(.destinationExists, "\(destination) is a folder, and cannot be replaced.")
            }
            guard !existing.isUnsent else {
                throw DocumentError(
                    .unsyncedEdits, "\(destination) has changes that were not sent yet, and cannot be replaced.")
            }
            if existing.isToBeBroughtBeforeReplaced {
                guard lookups < Self.mostLookups else {
                    throw DocumentError(
                        .busy,
                        "\(destination) was not replaced, as it changes on the remote all the time, and what it has is brought first, to be kept as a version: try again."
                    )
                }
                try await bring(existing, at: destination, domain)
                lookups += 1
                continue
            }
            let replaced = try await replace(
                existing, with: source, at: destination, removingSource, domain, onProgress)
            if let replaced { return replaced }
        }
    }

    func makeFolder(at location: Location, on domain: Domain) async throws(DocumentError) -> IndexedItem {
        try domain.requireModifying(location)
        guard let name = location.name else { throw Self.exists(location) }
        try await follower.freshen(domain)
        let parent = try await folder(of: location, in: domain)
        guard try await resolver.resolveIfPresent(location, in: domain) == nil else { throw Self.exists(location) }
        let made = try await create(name, kind: .folder, from: nil, in: parent, at: location, false, domain) { _ in }
        guard let made else { throw Self.exists(location) }
        return made
    }

    /// Makes something where nothing is, under a claim on the place.
    ///
    /// - Returns: nil when something has come there while it was waited for: nothing is done then.
    private func create(
        _ name: ItemName, kind: ItemKind, from source: FilePath?, in parent: IndexedItem, at location: Location,
        _ removingSource: Bool, _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> IndexedItem? {
        if let rule = try storage.read({ try $0.ignoringRule(at: location, isFolder: kind != .document) }) {
            throw DocumentHost.ignored(location, by: rule)
        }
        let claims = PlaceClaim(storage: storage, broker: broker, accesses: accesses, owner: owner)
        var moving: LocalMoves.Source?
        if removingSource, let source { moving = try await localMoves.source(source) }
        let claim = try await claims(on: name, in: parent, at: location, from: moving)
        defer { claims.end(claim) }
        if try storage.read({ try $0.item(at: location) })?.exists == true { return nil }
        let made = try await make(
            name, kind: kind, from: source, in: parent, at: location, removingSource, domain, onProgress)
        await localMoves.arrived(moving, as: made, in: claim)
        return made
    }

    func make(
        _ name: ItemName, kind: ItemKind, from source: FilePath?, in parent: IndexedItem, at location: Location,
        _ removingSource: Bool, _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> IndexedItem {
        let session = domain.provider
        let heard = try made.heard(of: domain.name)
        let export = try await storage.runOutside(
            late: { (store: DocumentStore, export: Export) in try? store.abandon(export) }
        ) { (store, _) throws -> Export in
            try store.beginExport(
                of: source, to: parent.id, name: name, kind: kind, in: domain.name, removingSource: removingSource)
        }
        let new: IndexedItem
        do throws(DocumentError) {
            let call = ProviderCall.CreateCall(
                parentID: parent.id, name: name, kind: kind, contentsPath: export.contents?.path.string,
                modified: export.contents?.source?.modified, operation: export.operation)
            let item = try await onceMoreAfterDeath { () async throws(DocumentError) in
                try await session.create(call, onProgress: onProgress)
            }
            try check(item, isMadeAs: call, at: location, in: domain)
            // Whoever finds it from now on brings its contents when they are not here yet: not while they are just coming.
            new = try await locks.withLock(ItemKey(domain: domain.name, id: item.id)) {
                () async throws(DocumentError) in
                try await storage.run { try $0.finish(export, as: item, leavingSource: true) }
            }
            // Presenters of the folders around hear of it (COORD-26).
            if !broker.isIdle { broker.noticed(.appeared, on: try storage.read { try $0.coordinated(new) }) }
        } catch {
            try await storage.run { try $0.abandon(export) }
            if error.code == .nameCollision { throw Self.exists(location) }
            throw error.code == .cancelled ? error : error.wrapped("\(location) could not be made: \(error.message)")
        }
        guard try await !made.isGone(new.id, of: domain.name, since: heard, session) else {
            // What was moved is still where it was.
            try await storage.run { try $0.abandon(export) }
            throw DocumentError(
                .noSuchItem, "\(location) was made, and was removed on the remote at once: look there who did that.")
        }
        if removingSource {
            try await removeSource(source, of: new) { try $0.removeSource(ofPlaced: export.entry) }
        }
        // It says by now what stays in its old place.
        return try storage.read { try $0.item(new.id, in: domain.name) } ?? new
    }

    /// Removes what was moved, when the provider has it: nothing has failed when it stays but that. Nobody else waits for a disk or
    /// a network that gives no answer.
    private func removeSource(
        _ source: FilePath?, of item: IndexedItem, _ body: @escaping @Sendable (DocumentStore) throws -> Void
    ) async throws(DocumentError) {
        do throws(DocumentError) {
            try await storage.runOutside { (store, _) throws -> Void in try body(store) }
        } catch {
            guard error.code != .cancelled, let source else { throw error }
            let problem = StayingSource(at: source).problem
            try await storage.write { try $0.setProblem(problem, of: item.id, in: item.domain) }
        }
    }

    /// An item that is there already, elsewhere or under another name, was not made: the original must not go for it.
    private func check(
        _ item: Item, isMadeAs call: ProviderCall.CreateCall, at location: Location, in domain: Domain
    ) throws(DocumentError) {
        guard item.parentID == call.parentID else {
            throw domain.provider.broken("put \(location) somewhere else")
        }
        guard item.kind.isFolder == call.kind.isFolder else {
            throw domain.provider.broken("made a \(item.kind) of \(location)")
        }
        // It may be known, when the feed of changes was quicker than the answer; but then as what was made.
        guard let known = try storage.read({ try $0.item(item.id, in: domain.name) }) else { return }
        guard known.item.parentID == call.parentID, known.item.name == call.name,
            known.item.kind.isFolder == call.kind.isFolder
        else {
            throw domain.provider.broken("says that \(location) is another item, which is there")
        }
    }

    /// What is to be replaced is kept as a version, so it has to be here.
    private func bring(_ item: IndexedItem, at location: Location, _ domain: Domain) async throws(DocumentError) {
        guard try !downloader.materialiser.pauses.isPaused(item.key) else {
            throw DocumentError(
                .cannotSynchronize,
                "\(location) is paused, and what it has is brought before it is replaced, to be kept as a version: docent resume \(location), or what is paused around it, lets it come."
            )
        }
        do throws(DocumentError) {
            try await downloader.bringWhenResumed(item, of: domain, nil)
        } catch {
            if error.code == .cancelled { throw error }
            throw error.wrapped(
                "\(location) was not replaced, as what it has could not be brought first, to be kept as a version: \(error.message)"
            )
        }
    }

    /// Keeps the contents of a document that is about to be replaced on the remote: they would be nowhere any more.
    private func keep(_ item: IndexedItem, under claim: ClaimID) async throws(DocumentError) -> KeptVersion? {
        let kept = try await storage.run { try $0.keepReplaced(item.id, asVersionOf: item.id, in: item.domain) }
        guard let kept else { return nil }
        broker.version(kept.identifier, .gained, of: try storage.read { try $0.coordinated(item) }, in: claim)
        return kept
    }

    /// It was not replaced: what is kept is what it has still.
    private func drop(_ kept: KeptVersion, of item: IndexedItem, under claim: ClaimID) async {
        try? await storage.run { try $0.removeVersion(kept, in: item.domain) }
        guard let coordinated = try? storage.read({ try $0.coordinated(item) }) else { return }
        broker.version(kept.identifier, .lost, of: coordinated, in: claim)
    }

    /// New contents for an item that is there, under a claim like any other writer's; checked under it (PICK-19). What it had
    /// is a version of it then.
    ///
    /// - Returns: nil when it was renamed while it was waited for, or its contents are not here any more: nothing is done then.
    private func replace(
        _ found: IndexedItem, with source: FilePath, at location: Location, _ removingSource: Bool,
        _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> IndexedItem? {
        let session = domain.provider
        let claims = ReplacingClaim(storage: storage, broker: broker, owner: owner)
        let moving = removingSource ? try await localMoves.source(source) : nil
        guard let claim = try await claims(on: found, at: location, from: moving) else { return nil }
        defer { broker.end(claim) }
        // While it waited, another tool may have edited, renamed or removed it.
        guard let item = try storage.read({ try $0.item(found.id, in: domain.name) }), !item.isGone else {
            throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
        }
        // A program may have edited it past the host, too.
        let existing =
            item.local == nil ? item : try await storage.run { try $0.recordChange(of: item.id, in: item.domain) }
        guard !existing.isUnsent else {
            throw DocumentError(
                .unsyncedEdits, "\(location) has changes that were not sent yet, and cannot be replaced.")
        }
        // The remote may have got others meanwhile, or what was here have been evicted.
        guard !existing.isToBeBroughtBeforeReplaced else { return nil }
        typealias Copy = (request: StagingRequest, contents: StagedFile)
        let (request, contents) = try await storage.runOutside(
            late: { (_: DocumentStore, copy: Copy) in try? copy.request.remove() }
        ) { (store, _) throws -> Copy in
            let request = try store.root.staging.makeRequest(.sending(domain.name))
            do {
                return (
                    request,
                    try store.root.staging.snapshot(ofFileAt: source, followingLink: !removingSource, in: request)
                )
            } catch {
                try request.remove()
                throw error
            }
        }
        var kept: KeptVersion?
        do throws(DocumentError) {
            kept = try await keep(existing, under: claim)
            let call = ProviderCall.ModifyCall(
                id: existing.id, baseVersion: existing.item.version.contentOnly,
                contentsPath: contents.path.string, modified: contents.source?.modified, operation: request.leaf)
            let item = try await onceMoreAfterDeath { () async throws(DocumentError) in
                try await session.modify(call, onProgress: onProgress)
            }
            guard item.id == existing.id else {
                throw session.broken("took \(location) and answered with another item")
            }
            try await storage.run { store in
                _ = try store.apply([item], in: domain.name)
                try store.putSent(contents, of: request, as: item, in: domain.name)
                // Only now; what cannot be dropped is, with the next one that is kept.
                try? store.pruneVersions(of: item.id, in: domain.name)
            }
            if removingSource, let sent = contents.source {
                try await removeSource(source, of: existing) { store in
                    try store.removeSource(source, expecting: sent, of: item.id, in: domain.name)
                }
            }
            let now = try storage.read { try $0.item(item.id, in: domain.name) }
            await localMoves.arrived(moving, as: now ?? existing, in: claim)
            return now ?? existing
        } catch {
            _ = try? await storage.run { _ in try request.remove() }
            // Else the remote may have taken it all the same.
            if let kept, error.code.errorClass == .definitive { await drop(kept, of: existing, under: claim) }
            throw error.code == .cancelled ? error : error.wrapped("\(location) was not replaced: \(error.message)")
        }
    }

    /// The folder around a location.
    func folder(of location: Location, in domain: Domain) async throws(DocumentError) -> IndexedItem {
        let parent = location.parent ?? location
        let folder: IndexedItem
        do throws(DocumentError) {
            folder = try await resolver.resolve(parent, in: domain)
        } catch {
            guard error.code == .noSuchItem else { throw error }
            throw DocumentError(
                .noSuchItem, "There is no folder \(parent); make it with: docent mkdir \(parent)",
                causes: [error.message])
        }
        guard folder.item.kind != .document else {
            throw DocumentError(.invalidArgument, "\(parent) is not a folder, and nothing can be put into it.")
        }
        guard folder.item.capabilities.contains(.write) else {
            throw DocumentError(.notPermitted, "\(parent) is read-only on the remote; nothing can be put into it.")
        }
        return folder
    }

    /// - Parameter canBeReplaced: whether whoever asks could have said so.
    static func exists(_ location: Location, canBeReplaced: Bool = false) -> DocumentError {
        let way = canBeReplaced ? "say that it is to be replaced" : "remove that first"
        return DocumentError(.destinationExists, "\(location) exists already; choose another name, or \(way).")
    }
}

extension IndexedItem {
    fileprivate var isToBeBroughtBeforeReplaced: Bool { isToComeBeforeReplaced && item.capabilities.contains(.read) }
}
