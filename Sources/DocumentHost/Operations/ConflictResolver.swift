import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import SystemPackage

/// Ends conflicts the way the user says (VER-5).
struct ConflictResolver: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    /// Taken under a claim, as whoever works on an item does: nobody who holds one waits for a claim.
    let locks: KeyedLock<ItemKey>
    let sender: Sender
    let disk: DiskCheck
    let copies: ConflictCopies
    let owner: ClaimOwner
    let sides: SideStore

    /// - Returns: false when it was renamed while it was waited for: nothing is done then.
    func resolve(
        _ item: IndexedItem, at location: Location, keeping choice: ConflictResolution, as name: ItemName?,
        on domain: Domain
    ) async throws(DocumentError) -> Bool {
        guard name == nil || choice == .both else {
            throw DocumentError(.invalidArgument, "Only with both contents kept is there a document to be named.")
        }
        guard item.state == .conflict else {
            return try await resolveSides(of: item, at: location, keeping: choice, as: name, on: domain)
        }
        let claims = ReplacingClaim(storage: storage, broker: broker, owner: owner)
        // A name that was chosen may be that of a place where a tool is writing.
        var place: FreePlace?
        if let name { place = try self.place(named: name, beside: item, at: location) }
        guard let claim = try await claims(on: item, at: location, and: place) else { return false }
        // What is made beside it is told of when it is made.
        defer { broker.end(claim, effects: [.changed] + (place == nil ? [] : [.unchanged])) }
        guard let found = try storage.read({ try $0.item(item.id, in: item.domain) }) else { return false }
        guard found.state == .conflict else {
            // The other side is all that there is to be kept.
            guard choice != .remote else { return true }
            throw DocumentError(
                .versionNoLongerAvailable,
                "The conflict of \(location) was ended meanwhile, on another device or by another command. What is not in its place is an older version: docent versions \(location) shows it."
            )
        }
        // A file that a program has only renamed is waited for, until the document has followed it.
        guard try await disk.look(found).state == .conflict else {
            // The other side is all that there is.
            guard choice != .remote else { return true }
            throw DocumentError(
                .noSuchItem,
                "The file of \(location) was removed here, and with it what was changed: the document is what the remote has. The conflict is over."
            )
        }
        // The removal that waits for this claim ends it: the edit survives (VER-15), and has no copy beside it.
        if choice != .local { try storage.read { try $0.requireThere(found, at: location) } }
        let kept = try storage.read { try $0.conflicts(in: domain.name) }.filter { $0.itemID == item.id }
        if choice == .both, let local = item.local {
            // Where its file is, also while a move of it waits.
            let onDisk = try storage.read { try $0.diskLocation(of: item.id, in: item.domain) }
            let ours = storage.store.root.tree.path(of: onDisk ?? location)
            try await send(
                ours, modified: local.modified, of: kept.map(\.kept), asCopyOf: item, at: location, as: name,
                on: domain, isClaimed: true)
        }
        let change = try await locks.withLock(item.key) { () async throws(DocumentError) in
            try await storage.run { store in
                let change = try store.resolveConflict(of: item.id, in: domain.name, keepingLocal: choice == .local)
                // Resolved: the other side's version goes (VER-6); where ours is written over it, it is what that begins from.
                if choice != .local { for conflict in kept { try store.root.versions.remove(conflict.kept) } }
                return change
            }
        }
        let resolved = try storage.read { try $0.coordinated(change.item) }
        broker.versions(change, of: resolved, in: claim)
        for conflict in kept {
            // Told when the claim ends, in this order (COORD-24, COORD-27).
            broker.version(conflict.identifier, .resolved, of: resolved, in: claim)
            broker.version(conflict.identifier, .lost, of: resolved, in: claim)
        }
        if choice == .local { sender.enqueue(change.item.key) }
        return true
    }

    /// A conflict was resolved on another device: the remote's contents take the place of those that were kept there from
    /// here, which stay as older ones. What has been changed since stays in conflict, and is kept anew.
    ///
    /// - Parameter own: what is not kept any more.
    func followElsewhere(_ item: IndexedItem, _ own: OwnSide) async throws(DocumentError) {
        while true {
            guard let item = try storage.read({ try $0.item(own.itemID, in: item.domain) }), item.state == .conflict,
                let location = try storage.read({ try $0.location(of: item.id, in: item.domain) }),
                // With what is gone there, its sides are, too: the edit survives that (VER-15), and the conflict ends.
                try !storage.read({ try $0.isGoneThere(item) })
            else { return }
            let claims = ReplacingClaim(storage: storage, broker: broker, owner: owner)
            guard let claim = try await claims(on: item, at: location) else { continue }
            do throws(DocumentError) {
                let kept = try storage.read { try $0.conflicts(in: item.domain) }.filter { $0.itemID == item.id }
                let change = try await locks.withLock(item.key) { () async throws(DocumentError) in
                    try await storage.run { store -> VersionChange? in
                        guard try store.hasContents(item.id, in: item.domain, digest: own.digest) else {
                            try store.forget(own)
                            return nil
                        }
                        let change = try store.resolveConflict(of: item.id, in: item.domain, keepingLocal: false)
                        // In conflict once more, the same contents are to be kept once more.
                        try store.forget(own)
                        for conflict in kept { try store.root.versions.remove(conflict.kept) }
                        return change
                    }
                }
                if let change {
                    let resolved = try storage.read { try $0.coordinated(change.item) }
                    broker.versions(change, of: resolved, in: claim)
                    for conflict in kept {
                        broker.version(conflict.identifier, .resolved, of: resolved, in: claim)
                        broker.version(conflict.identifier, .lost, of: resolved, in: claim)
                    }
                }
                broker.end(claim, effects: [change == nil ? .unchanged : .changed])
                return
            } catch {
                broker.end(claim, effects: [.changed])
                throw error
            }
        }
    }

    /// Contents become a document of their own, beside the other; only then may they leave this one.
    ///
    /// - Parameters:
    ///   - source: a file of the host's.
    ///   - kept: what is kept of the conflict here.
    ///   - isClaimed: the caller has a claim on the item.
    func send(
        _ source: FilePath, modified: Timestamp, of kept: [String], asCopyOf item: IndexedItem, at location: Location,
        as chosen: ItemName?, on domain: Domain, isClaimed: Bool = false
    ) async throws(DocumentError) {
        guard let parent = item.item.parentID, let name = item.item.name else { return }
        // A claim on anything in a package is one on the package, with all places in it (COORD-21).
        let around = try storage.read { try $0.coordinated(item) }.enclosing
        let isCovered = isClaimed && around.contains(where: \.isPackage)
        var attempts = CopyAttempts()
        while true {
            let copy: ItemName
            if let chosen {
                copy = chosen
            } else {
                copy = try ConflictName.make(for: name, at: ConflictName.date(of: modified), attempt: attempts.number)
            }
            // Nobody waits for a name that was made up.
            let free = try chosen == nil && !isCovered ? self.place(named: copy, beside: item, at: location) : nil
            let claim = free.flatMap {
                broker.claimWithoutWaiting($0.coordinated, for: .writing(.forReplacing), by: owner)
            }
            if free != nil, claim == nil {
                try attempts.next(after: .nameTaken, of: location)
                continue
            }
            defer { if let claim { broker.end(claim, effects: [.unchanged]) } }
            let failure = try await copies.make(
                of: source, modified: modified, keptAs: kept, beside: item, in: parent, as: copy,
                isChosen: chosen != nil, attempt: attempts.number, with: domain.provider)
            guard let failure else { return }
            try attempts.next(after: failure, of: location)
        }
    }

    func place(
        named name: ItemName, beside item: IndexedItem, at location: Location
    ) throws(DocumentError) -> FreePlace? {
        guard let parent = item.item.parentID, let folder = try storage.read({ try $0.item(parent, in: item.domain) }),
            let around = location.parent
        else { return nil }
        return FreePlace(
            name, in: folder, try storage.read { try $0.coordinated(folder) }, at: around.appending(name))
    }
}
