import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher

/// Items that get another place, or go away.
struct Arranger: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let resolver: ItemResolver
    let follower: ChangeFollower
    let exporter: Exporter
    let accesses: AccessTable
    let deletions: DeletionDesk
    let backlog: Backlog
    let remover: FolderRemover
    let observer: RemoteObserver
    let fetcher: RemoteVersionFetcher
    let sender: Sender
    let owner: ClaimOwner
    let work: WorkGroup

    /// - Parameters:
    ///   - tool: who asks; inside of its own access for moving the item, that one's claim is used (COORD-30).
    ///   - patience: how long others who use it are waited for; nil: as long as it takes.
    ///   - expected: the only item that is meant; nil for whichever is at the location.
    func rename(
        _ location: Location, to destination: Location, on domain: Domain, by tool: ClaimOwner?,
        within patience: Duration? = nil, expecting expected: ItemIdentifier? = nil
    ) async throws(DocumentError) -> IndexedItem {
        guard location.domain == destination.domain else {
            throw DocumentError(
                .invalidArgument,
                "\(location) cannot be renamed into another domain; use docent import and docent export.")
        }
        try domain.requireModifying(location)
        try await follower.freshen(domain)
        var item = try await resolve(location, in: domain, expecting: expected)
        guard let name = destination.name, !location.isRoot else {
            throw DocumentError(.invalidArgument, "The domain \(domain.name) itself cannot be renamed or replaced.")
        }
        if location == destination { return item }
        let parent = try await exporter.folder(of: destination, in: domain)
        if let existing = try await resolver.resolveIfPresent(destination, in: domain), existing.id != item.id {
            guard try isReplacing(existing, by: tool) else { throw Exporter.exists(destination) }
            return try await replace(existing, at: destination, with: item, from: location, on: domain, by: tool)
        }
        if try await sendFirst(item, at: location) {
            item = try await resolve(location, in: domain, expecting: expected)
        }
        try checkMoving(item, to: parent, from: location)
        let claim = try await claim(
            toMove: item, as: name, into: parent, at: destination, by: tool, within: patience)
        defer { claim.end() }
        let moved = try await move(item, to: parent, as: name, from: location, on: domain, in: claim)
        // What a rule kept here in it may be one to be sent by now (CONT-13).
        if moved.item.kind != .document { try sender.enqueue(arriving: moved) }
        return moved
    }

    /// The remote may have moved the item that is meant, and put another one in its place: that one is left alone.
    private func resolve(
        _ location: Location, in domain: Domain, expecting expected: ItemIdentifier?
    ) async throws(DocumentError) -> IndexedItem {
        let item = try await resolver.resolve(location, in: domain)
        guard let expected else { return item }
        // It may have been sent for the first time since, and have another identifier by now.
        guard try storage.read({ try $0.item(expected, in: domain.name)?.row }) == item.row else {
            throw DocumentError(
                .noSuchItem,
                "Something else is at \(location) by now: what was there was moved on the remote meanwhile; look at it again first.",
                itemID: expected)
        }
        return item
    }

    /// A folder that was made here, and that something was moved into of which its provider has not heard, is sent before it
    /// moves: at its new place it could wait for just that to be told, while that waits for it.
    ///
    /// - Returns: whether it was sent.
    private func sendFirst(_ item: IndexedItem, at location: Location) async throws(DocumentError) -> Bool {
        guard item.isArriving, item.item.kind != .document, try backlog.holdsMoved(below: location) else {
            return false
        }
        var around = location
        var folders: [IndexedItem] = []
        while let folder = try storage.read({ try $0.item(at: around) }), folder.isArriving, let next = around.parent {
            folders.append(folder)
            around = next
        }
        for folder in folders.reversed() { try await sender.send(folder.key) }
        let inside = try storage.read { index in
            try index.arrivingFolders(of: location.domain).filter { folder in
                try index.location(of: folder.id, in: folder.domain)?.components.starts(with: location.components)
                    ?? false
            }
        }
        for folder in inside { try await sender.send(folder.key) }
        await backlog.settle(item.domain)
        guard try !backlog.holdsMoved(below: location) else {
            throw DocumentError(
                .busy,
                "\(location) was not renamed: its provider is to hear first of what was moved into it; try again in a moment."
            )
        }
        return true
    }

    func checkMoving(_ item: IndexedItem, to parent: IndexedItem, from location: Location) throws(DocumentError) {
        let wanted: ItemCapabilities = parent.id == item.item.parentID ? .rename : .move
        guard item.isArriving || item.item.capabilities.contains(wanted) else {
            throw DocumentError(.notPermitted, "\(location) cannot be renamed or moved on the remote.")
        }
    }

    /// Under a claim; those who wait for it follow, and presenters hear of it (COORD-30).
    func move(
        _ item: IndexedItem, to parent: IndexedItem, as name: ItemName, from location: Location, on domain: Domain,
        in claim: MovingClaim
    ) async throws(DocumentError) -> IndexedItem {
        // The folder may have been sent for the first time since it was waited for.
        let parent = try storage.read { try $0.item(parent.id, in: parent.domain) } ?? parent
        guard !parent.isGone else {
            throw DocumentError(.noSuchItem, "The folder that \(location) was to come to was removed meanwhile.")
        }
        var key = item.key
        if item.isArriving {
            if let moved = try await moveArriving(item, to: parent, as: name, in: claim) {
                // It may have been kept here by its name (CONT-13).
                try sender.enqueue(arriving: moved)
                return moved
            }
            // The provider knows it by now.
            key = try storage.read { try $0.item(item.id, in: item.domain) }?.key ?? key
        }
        return try await modify(key, to: parent, as: name, at: location, on: domain, in: claim)
    }

    /// Has the provider give an item another place.
    ///
    /// - Parameter claim: nil when nobody is told of it.
    func modify(
        _ key: ItemKey, to parent: IndexedItem, as name: ItemName, at location: Location, on domain: Domain,
        in claim: MovingClaim? = nil
    ) async throws(DocumentError) -> IndexedItem {
        let session = domain.provider
        let parent = try await known(parent)
        return try await locks.withLock(key) { () async throws(DocumentError) -> IndexedItem in
            // Moved by somebody else while it was waited for, it begins from there.
            guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }), !item.isGone else {
                throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
            }
            if item.item.parentID == parent.id, item.item.name == name { return item }
            let before = try storage.read { try $0.coordinated(item) }
            let change = try await storage.run { store in
                try store.beginRenaming(item.id, in: domain.name, to: parent.id, name: name)
            }
            do throws(DocumentError) {
                let renamed = try await ask(
                    ProviderCall.ModifyCall(
                        id: item.id, baseVersion: .none, name: name == item.item.name ? nil : name,
                        parentID: parent.id == item.item.parentID ? nil : parent.id, operation: change.operation),
                    of: item, to: SyncPlace(parentID: parent.id, name: name), with: session)
                var now = try await storage.run { try $0.finish(change, as: renamed) }
                if now.id != item.id {
                    // Whoever was to send it, or what is in it, knows that by the identifier that it had.
                    if now.isUnsent { sender.enqueue(now.key) }
                    if now.item.kind != .document { backlog.reread(now.domain) }
                }
                if now.item.parentID != renamed.parentID || now.item.name != renamed.name {
                    // Another place was told of meanwhile: which of the two is the later one, the provider knows.
                    now = try await lookedUp(now)
                }
                if let claim {
                    try broker.moved(before, to: try storage.read { try $0.coordinated(now) }, in: claim.onItem)
                }
                return now
            } catch {
                try await storage.run { try $0.abandon(change) }
                if error.code == .nameCollision {
                    throw Exporter.exists(
                        (try? storage.read { try $0.coordinated(parent) })?.location.appending(name) ?? location)
                }
                throw error.wrapped("\(location) was not renamed: \(error.message)")
            }
        }
    }

    /// A folder that its provider knows: one that was made here is sent first.
    private func known(_ folder: IndexedItem) async throws(DocumentError) -> IndexedItem {
        let now = try storage.read { try $0.item(folder.id, in: folder.domain) } ?? folder
        guard now.isArriving else { return now }
        try await sender.send(now.key)
        return try storage.read { try $0.item(now.id, in: now.domain) } ?? now
    }

    /// An item as the provider has it now, where it can be asked.
    private func lookedUp(_ item: IndexedItem) async throws(DocumentError) -> IndexedItem {
        let reason = DocumentError(.busy, "It was moved on the remote meanwhile: look at it again.", itemID: item.id)
        _ = try? await observer.look(at: item, reason)
        return try storage.read { try $0.item(item.id, in: item.domain) } ?? item
    }

    /// Has the provider move or rename an item from where it is known to be: what was moved on the remote meanwhile stays
    /// where it was moved to. What cannot be known from the answer is looked up.
    private func ask(
        _ call: ProviderCall.ModifyCall, of item: IndexedItem, to place: SyncPlace, with session: ProviderSession
    ) async throws(DocumentError) -> Item {
        var call = call
        call.baseVersion = try ItemVersion(content: [], metadata: item.item.version.metadata)
        do throws(DocumentError) {
            return try await session.modify(call)
        } catch {
            let refusal = error
            guard refusal.code == .versionNoLongerAvailable || RemoteObserver.leavesOpen(refusal) else { throw refusal }
            guard let there = try await observer.look(at: item, refusal) else { throw refusal }
            if there.parentID == place.parentID, there.name == place.name { return there }
            guard refusal.code == .versionNoLongerAvailable else { throw refusal }
            guard there.parentID == item.item.parentID, there.name == item.item.name else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "It was moved or renamed on the remote meanwhile: look at it again first.",
                    causes: [refusal.message], itemID: item.id)
            }
            // Something else of it was changed; its place was not.
            call.baseVersion = try ItemVersion(content: [], metadata: there.version.metadata)
            return try await session.modify(call)
        }
    }

    /// The claims under which an item is moved: those that the tool holds for just that, and our own.
    func claim(
        toMove item: IndexedItem, as name: ItemName, into folder: IndexedItem, at destination: Location,
        by tool: ClaimOwner?, within patience: Duration? = nil
    ) async throws(DocumentError) -> MovingClaim {
        let (item, around) = try storage.read { (try $0.coordinated(item), try $0.coordinated(folder)) }
        return try await MovingClaim(
            item, to: FreePlace(name, in: folder, around, at: destination), under: held(item, .forMoving, by: tool),
            by: tool, within: patience, accesses: accesses, broker: broker, owner: owner)
    }

    /// The claim under which an item is removed: the one that the tool holds for just that, or one of our own.
    func claim(
        toRemove item: CoordinatedItem, by tool: ClaimOwner?, within patience: Duration? = nil
    ) async throws(DocumentError) -> (ClaimID, isOwn: Bool) {
        if let held = held(item, .forDeleting, by: tool) { return (held, false) }
        let own = try await broker.claim(
            item, for: .writing(.forDeleting), by: owner.onBehalf, nestedIn: EnclosingClaims.current, within: patience)
        return (own, true)
    }

    func held(_ item: CoordinatedItem, _ option: WritingOption, by tool: ClaimOwner?) -> ClaimID? {
        // It may have been sent for the first time since that was granted, and have another identifier by now.
        tool.flatMap { tool in
            accesses.claim(of: tool, on: item.subject, for: .writing(option))
                ?? accesses.claim(of: tool, at: item.location, for: .writing(option))
        }
    }

    /// - Parameters:
    ///   - tool: who asks; inside of its own access for deleting the item, that one's claim is used.
    ///   - isApproved: nobody is asked whether it is meant, however much it is (CONT-13).
    ///   - seen: what was known when it was asked for; nil where somebody has said yes to what is ``covered``.
    ///   - covered: what somebody has said yes to; nil for what was seen.
    ///   - patience: how long others who use it are waited for; nil: as long as it takes.
    func remove(
        _ location: Location, recursive: Bool, discardingUnsent: Bool, on domain: Domain, by tool: ClaimOwner?,
        isApproved: Bool = false, seen: SeenItems? = nil, covering covered: CoveredItems? = nil,
        within patience: Duration? = nil
    ) async throws(DocumentError) {
        try domain.requireModifying(location)
        try await follower.freshen(domain)
        var found = try await resolver.resolve(location, in: domain)
        if found.isArriving {
            let isGone = try await removeArriving(
                found, location, recursive: recursive, discardingUnsent: discardingUnsent, by: tool, within: patience)
            if isGone { return }
            found = try await resolver.resolve(location, in: domain)
        }
        let item = found
        guard !location.isRoot else {
            throw DocumentError(
                .invalidArgument, "The domain itself cannot be removed so; use: docent domain remove \(domain.name)")
        }
        guard item.item.capabilities.contains(.delete) else {
            throw DocumentError(.deletionRejected, "\(location) cannot be removed on the remote.")
        }
        let isWhole = recursive && item.item.kind != .document
        // On the remote it is empty, perhaps: what is in it is only here.
        if !recursive, discardingUnsent, item.item.kind == .folder,
            try storage.read({ try $0.present(within: item.id, in: item.domain) }).contains(where: \.isUnsent)
        {
            throw DocumentError(
                .directoryNotEmpty,
                "\(location) has documents in it that were not sent yet; remove it with what is in it: docent rm -r \(location)"
            )
        }
        if isWhole { try await remover.learn(item, of: domain) }
        var covered = covered
        if let seen { covered = try storage.read { try seen.covered(of: item, isWhole: isWhole, $0) } }
        guard covered?.contains(item) ?? true else {
            throw DocumentError(
                .versionNoLongerAvailable,
                "\(location) is another one on the remote since you saw it; look at it again first.")
        }
        let whatGoes = covered
        try await deletions.removing(isApproved ? [] : [item]) {
            (begins: () -> Void) async throws(DocumentError) -> Void in
            if !isApproved {
                try await deletions.admit(
                    item, at: location, recursive: recursive, discardingEdits: discardingUnsent)
            }
            if discardingUnsent { try await bringUnseenSides(of: item, at: location, on: domain) }
            let (claim, isOwn) = try await claim(
                toRemove: try storage.read { try $0.coordinated(item) }, by: tool, within: patience)
            defer { if isOwn { broker.end(claim) } }
            begins()
            try await carryOutRemoval(
                of: item, at: location, on: domain, isWhole: isWhole, discardingUnsent: discardingUnsent,
                covering: whatGoes)
        }
    }

    /// Under a claim for deleting it.
    ///
    /// - Parameters:
    ///   - isWhole: a folder, with what is in it: all of that is known (``FolderRemover/learn(_:of:)``).
    ///   - forGood: nothing of it goes into the trash.
    ///   - covered: what is to go with it, each in the version that was seen; nil for what is known now.
    func carryOutRemoval(
        of item: IndexedItem, at location: Location, on domain: Domain, isWhole: Bool, discardingUnsent: Bool,
        forGood: Bool = false, covering covered: CoveredItems? = nil
    ) async throws(DocumentError) {
        let session = domain.provider
        try await locks.withLock(item.key) { () async throws(DocumentError) in
            let change = try await storage.run { store in
                try store.beginRemoving(
                    item.id, in: domain.name, discardingEdits: discardingUnsent, skippingTrash: forGood)
            }
            do throws(DocumentError) {
                if isWhole {
                    try await remover.remove(change, of: domain, covering: covered)
                } else {
                    // What was just sent, to be removed with it, has another version now; what the remote has changed since
                    // was not seen.
                    var known = item.isUnsent ? change.item : item
                    if let seen = covered?.version(of: item) { known.item.version = try ItemVersion(content: seen) }
                    if let here = try await storage.run({ try $0.versionOfRemovedFile(of: change.item) }) {
                        known.item.version = here
                    }
                    try await delete(known, change.operation, with: session)
                }
                try await storage.run { try $0.finishRemoving(change) }
            } catch {
                try await storage.run { try $0.abandon(change) }
                switch error.code {
                case .directoryNotEmpty:
                    throw error.wrapped(
                        isWhole
                            ? "\(location) was not removed as a whole: something was put into it since you saw it, and stays; look at it again first."
                            : "\(location) is not empty; remove it with what is in it: docent rm -r \(location)")
                case .versionNoLongerAvailable:
                    throw error.wrapped(
                        isWhole
                            ? "\(location) was not removed as a whole: something in it was changed on the remote since you saw it, and stays; look at it again first."
                            : "\(location) was changed on the remote since you saw it; look at it again first.")
                default: throw error.wrapped("\(location) was not removed: \(error.message)")
                }
            }
        }
    }

    /// One document, or a folder that nothing is in. What cannot be known from the answer is looked up.
    func delete(
        _ item: IndexedItem, _ operation: String, with session: ProviderSession
    ) async throws(DocumentError) {
        let base = item.item.kind == .document ? item.item.version.contentOnly : .none
        do throws(DocumentError) {
            try await session.delete(
                ProviderCall.DeleteCall(id: item.id, baseVersion: base, recursive: false, operation: operation))
        } catch {
            // Kept for what was changed of it here, it was gone there before.
            if error.code == .noSuchItem, try storage.read({ try $0.isGoneThere(item) }) { return }
            guard RemoteObserver.leavesOpen(error) else { throw error }
            if try await observer.look(at: item, error) != nil { throw error }
        }
    }
}
