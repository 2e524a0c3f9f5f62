import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Ends conflicts the way the user says (VER-5).
struct ConflictResolver: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let sender: Sender
    let made: MadeItems
    let owner: ClaimOwner

    /// - Returns: false when it was renamed while it was waited for: nothing is done then.
    func resolve(
        _ item: IndexedItem, at location: Location, keeping choice: ConflictResolution, as name: ItemName?,
        on domain: Domain
    ) async throws(DocumentError) -> Bool {
        guard name == nil || choice == .both else {
            throw DocumentError(.invalidArgument, "Only with both contents kept is there a document to be named.")
        }
        // Resolved already: once more is harmless (VER-6).
        guard item.state == .conflict else { return true }
        let claims = ReplacingClaim(storage: storage, broker: broker, owner: owner)
        // A name that was chosen may be that of a place where a tool is writing.
        var place: FreePlace?
        if let name { place = try self.place(named: name, beside: item, at: location) }
        guard let claim = try await claims(on: item, at: location, and: place) else { return false }
        // What is made beside it is told of when it is made.
        defer { broker.end(claim, effects: [.changed] + (place == nil ? [] : [.unchanged])) }
        let kept = try storage.read { try $0.conflicts(in: domain.name) }.filter { $0.itemID == item.id }
        if choice == .both { try await sendLocalAsCopy(item, at: location, as: name, on: domain) }
        let change = try await storage.run { store in
            let change = try store.resolveConflict(of: item.id, in: domain.name, keepingLocal: choice == .local)
            // Resolved: the other side's version goes (VER-6); where ours is written over it, it is what that begins from.
            if choice != .local { for conflict in kept { try store.root.versions.remove(conflict.kept) } }
            return change
        }
        let resolved = try storage.read { try $0.coordinated(change.item) }
        broker.versions(change, of: resolved, in: claim)
        for conflict in kept {
            // Told when the claim ends, in this order (COORD-24, COORD-27).
            broker.version(conflict.kept, .resolved, of: resolved, in: claim)
            broker.version(conflict.kept, .lost, of: resolved, in: claim)
        }
        if choice == .local { sender.enqueue(change.item.key) }
        return true
    }

    /// The local contents become a document of their own, beside the other; only then may they leave this one.
    private func sendLocalAsCopy(
        _ item: IndexedItem, at location: Location, as chosen: ItemName?, on domain: Domain
    ) async throws(DocumentError) {
        guard let parent = item.item.parentID, let name = item.item.name, let local = item.local else { return }
        let session = domain.provider
        // Where its file is, also while a move of it waits.
        let onDisk = try storage.read { try $0.diskLocation(of: item.id, in: item.domain) }
        let source = storage.store.root.tree.path(of: onDisk ?? location)
        for attempt in 1...20 {
            let copy: ItemName
            if let chosen {
                copy = chosen
            } else {
                copy = try ConflictName.make(for: name, at: ConflictName.date(of: local.modified), attempt: attempt)
            }
            // Nobody waits for a name that was made up.
            let free = try chosen == nil ? self.place(named: copy, beside: item, at: location) : nil
            let claim = free.flatMap {
                broker.claimWithoutWaiting($0.coordinated, for: .writing(.forReplacing), by: owner)
            }
            if free != nil, claim == nil { continue }
            defer { if let claim { broker.end(claim, effects: [.unchanged]) } }
            let export: Export
            do throws(DocumentError) {
                export = try await storage.run { store in
                    try store.beginExport(
                        of: source, to: parent, name: copy, kind: .document, in: domain.name, removingSource: false)
                }
            } catch {
                // Another machine has resolved the same in the same second, and its copy is known here.
                guard [.destinationExists, .nameClash].contains(error.code), chosen == nil else { throw error }
                continue
            }
            let heard = try self.made.heard(of: domain.name)
            do throws(DocumentError) {
                let made = try await session.create(
                    ProviderCall.CreateCall(
                        parentID: parent, name: copy, kind: .document, contentsPath: export.contents?.path.string,
                        modified: local.modified, operation: export.operation),
                    onProgress: { _ in })
                let beside = try await storage.run { try $0.finish(export, as: made) }
                // Presenters of the folders around hear of it (COORD-26).
                broker.noticed(.appeared, on: try storage.read { try $0.coordinated(beside) })
                _ = try await self.made.isGone(beside.id, of: domain.name, since: heard, session)
                return
            } catch {
                try await storage.run { try $0.abandon(export) }
                guard error.code == .nameCollision, chosen == nil else { throw error }
            }
        }
        throw DocumentError(
            .nameCollision, "No free name was found for the copy of \(location); remove some of its conflict copies.")
    }

    private func place(
        named name: ItemName, beside item: IndexedItem, at location: Location
    ) throws(DocumentError) -> FreePlace? {
        guard let parent = item.item.parentID, let folder = try storage.read({ try $0.item(parent, in: item.domain) }),
            let around = location.parent
        else { return nil }
        return FreePlace(
            name, in: folder, try storage.read { try $0.coordinated(folder) }, at: around.appending(name))
    }
}
