import DocumentModel
import DocumentStorage
import FileCoordination
import SystemPackage

/// Local documents and folders become items of a domain at once, whether or not its provider can be reached; they are
/// sent later (CONT-7, CONT-8).
struct Arrivals: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let places: PlaceClaim
    let localMoves: LocalMoves
    let resolver: ItemResolver
    let follower: ChangeFollower
    let sender: Sender

    /// - Returns: the item, when its contents are safe here and the source is gone.
    func moveIn(
        _ source: FilePath, to destination: Location, on domain: Domain
    ) async throws(DocumentError) -> IndexedItem {
        let moving = try await localMoves.source(source, tellingItself: Asker.current?.owner)
        return try await arrive(source, to: destination, on: domain, keepingSource: false, moving: moving).item
    }

    /// The same, and the source stays.
    ///
    /// - Parameter moving: a source that is to go later. Who presents it lets go while it is copied; whoever removes it says
    ///   then that it has arrived.
    /// - Returns: the item, when its contents are safe here, and what was copied.
    func copyIn(
        _ source: FilePath, to destination: Location, on domain: Domain, moving: LocalMoves.Source?
    ) async throws(DocumentError) -> (item: IndexedItem, parts: [CopiedPart]) {
        try await arrive(source, to: destination, on: domain, keepingSource: true, moving: moving)
    }

    /// Contents that were in the trash are a new document.
    func restore(_ trashed: TrashRecord, to destination: Location, on domain: Domain) async throws(DocumentError)
        -> IndexedItem
    {
        let source = storage.store.root.trash.path(of: trashed.document.id, in: trashed.document.location.domain)
        return try await arrive(source, to: destination, on: domain, keepingSource: false, from: trashed).item
    }

    private func arrive(
        _ source: FilePath, to destination: Location, on domain: Domain, keepingSource: Bool,
        moving: LocalMoves.Source? = nil, from trashed: TrashRecord? = nil
    ) async throws(DocumentError) -> (item: IndexedItem, parts: [CopiedPart]) {
        try domain.requireVisible()
        try domain.requireModifying(destination)
        guard let name = destination.name else {
            throw DocumentError(
                .destinationExists, "\(destination) is the domain itself; add the item's new name to it.")
        }
        // Where it is known what is in the folder, nobody is waited for: what turns out to be there is kept, too.
        if try resolver.folderWithRoom(for: destination, in: domain) == nil { try await follower.freshen(domain) }
        let (folder, missing) = try await folder(around: destination, in: domain)
        if missing.isEmpty, try await present(destination, in: domain) != nil { throw Self.exists(destination) }
        let claim = try await places(on: name, in: folder, at: destination, from: moving)
        defer { places.end(claim) }
        typealias Arrived = (item: IndexedItem, parts: [CopiedPart])
        let (item, parts) = try await storage.runOutside(
            late: { (_: DocumentStore, arrived: Arrived) in try? send(arrived.item) }
        ) { (store, isGivenUp) throws -> Arrived in
            let arrival = try store.beginArrival(
                of: source, to: folder.id, making: missing, name: name, in: domain.name, keepingSource: keepingSource,
                from: trashed)
            guard !isGivenUp() else {
                try store.abandon(arrival)
                throw CancellationError()
            }
            return (try store.finish(arrival), arrival.entry.payload.parts)
        }
        try send(item)
        // Presenters of the folders around hear of it (COORD-26).
        if !broker.isIdle { broker.noticed(.appeared, on: try storage.read { try $0.coordinated(item) }) }
        if !keepingSource { await localMoves.arrived(moving, as: item, in: claim) }
        return (item, parts)
    }

    /// Has it sent, with the folders around it that its provider does not know either.
    func send(_ item: IndexedItem) throws(DocumentError) {
        try sender.enqueue(arriving: item)
    }

    /// Makes a folder, at once, whether or not the provider can be reached; it is sent later.
    ///
    /// - Parameter patience: how long others who write at its place are waited for; nil: as long as it takes.
    func makeFolder(
        at location: Location, on domain: Domain, within patience: Duration? = nil
    ) async throws(DocumentError) -> IndexedItem {
        try domain.requireVisible()
        try domain.requireModifying(location)
        guard let name = location.name else { throw Exporter.exists(location) }
        if let patience, let parent = location.parent, let folder = try resolver.unlistedFolder(at: parent) {
            // What turns out to be there later is kept, too.
            try await follower.list(folder.id, of: domain, within: patience)
            if try storage.read({ try $0.shownItem(at: location) }) != nil { throw Exporter.exists(location) }
        } else if try resolver.folderWithRoom(for: location, in: domain) == nil {
            try await follower.freshen(domain)
            if try await present(location, in: domain) != nil { throw Exporter.exists(location) }
        }
        let (folder, missing) = try await folder(around: location, in: domain)
        if let first = missing.first {
            throw DocumentError(.noSuchItem, "There is no folder “\(first)” on the way to \(location): make it first.")
        }
        let claim = try await places(on: name, in: folder, at: location, within: patience)
        defer { places.end(claim) }
        let made = try await storage.run { try $0.makeFolder(named: name, in: folder.id, of: folder.domain) }
        // Where another one is still to leave its place on disk.
        let moves = try storage.read { try $0.journal(of: made.id, in: made.domain) }.filter {
            $0.step == .renameRecorded
        }
        follower.treeWork.performLater(moves)
        try send(made)
        if !broker.isIdle { broker.noticed(.appeared, on: try storage.read { try $0.coordinated(made) }) }
        return made
    }

    /// The innermost folder around a place that is there, and the names of those that are not.
    private func folder(
        around destination: Location, in domain: Domain
    ) async throws(DocumentError) -> (folder: IndexedItem, missing: [ItemName]) {
        var missing: [ItemName] = []
        var place = destination.parent ?? destination
        while true {
            if let folder = try await present(place, in: domain) {
                guard folder.item.kind != .document else {
                    throw DocumentError(.invalidArgument, "\(place) is not a folder, and nothing can be put into it.")
                }
                guard folder.exists else {
                    throw DocumentError(
                        .noSuchItem,
                        "\(place) was removed on the remote, and is here only until what was changed in it is sent: no folder can be made in it, and nothing put into it, until then. docent status \(place) says what that waits for."
                    )
                }
                guard folder.item.capabilities.contains(.write) else {
                    throw DocumentError(
                        .notPermitted, "\(place) is read-only on the remote; nothing can be put into it.")
                }
                return (folder, missing)
            }
            guard let name = place.name, let parent = place.parent else {
                throw DocumentError(.noSuchItem, "There is no \(place).")
            }
            missing.insert(name, at: 0)
            place = parent
        }
    }

    /// What is known to be there. When the provider cannot be asked, what turns out to be there later is kept, too.
    private func present(_ location: Location, in domain: Domain) async throws(DocumentError) -> IndexedItem? {
        do throws(DocumentError) {
            return try await resolver.resolveIfPresent(location, in: domain)
        } catch {
            guard error.code.errorClass == .resolvable || error.code.errorClass == .transient, error.code != .cancelled
            else { throw error }
            return nil
        }
    }

    private static func exists(_ location: Location) -> DocumentError {
        DocumentError(.destinationExists, "\(location) exists already: choose another name. Nothing was moved.")
    }
}
