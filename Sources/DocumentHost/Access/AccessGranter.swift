import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// Coordinated reads and writes of host tools: claim first, then contents, then the path (COORD-9, DOWN-2).
struct AccessGranter: Sendable {
    struct Grant: Sendable {
        let number: UInt64
        /// In the order in which they were asked for.
        let items: [GrantedItem]
    }

    enum GrantedItem: Sendable {
        /// With what is read instead of the document's file, where it is another one: a snapshot, or one into which contents come.
        case item(KnownItem, otherPath: FilePath?)
        /// Where a document may be written.
        case place(ItemStatus)
    }

    let storage: StorageThreads
    let known: KnownItems
    let broker: CoordinationBroker
    let accesses: AccessTable
    let presenters: PresenterTable
    let domains: DomainRegistry
    let exported: ExportedItems
    let resolver: ItemResolver
    let follower: ChangeFollower
    let materialiser: Materialiser
    let contents: FolderContents
    let pinKeeper: PinKeeper
    let sender: Sender
    let arrivals: Arrivals
    let parts: PackageParts
    let disk: DiskCheck
    let providing: ProvidingEnds
    let localChanges: LocalChangeWatcher
    let work: WorkGroup
    let logger: Logger
    let brought: DownloadTally
    let readAhead: ReadAhead
    let pending = PendingAccesses()

    /// - Parameter rights: what the tool may access, asked for again when it has waited.
    func begin(
        _ request: AccessRequest, by owner: ClaimOwner, rights: @escaping AccessRights,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> Grant {
        let share = try accesses.quota.take(request.intentions.count, for: owner)
        do throws(DocumentError) {
            while true {
                let grant = try await attempt(request, by: owner, share, rights: rights, onProgress: onProgress)
                if let grant { return grant }
            }
        } catch {
            accesses.quota.giveBack(share)
            throw error
        }
    }

    /// - Returns: nil when something has come to a place that was free when it was asked for, or what was to be replaced has
    ///   left its place: it is to be asked for anew.
    private func attempt(
        _ request: AccessRequest, by owner: ClaimOwner, _ share: AccessQuota.Share, rights: @escaping AccessRights,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> Grant? {
        let permit = try await rights(request.intentions)
        let nested = accesses.held(request.nestedIn, by: owner)
        let purpose = try purpose(of: request, by: owner)
        var targets: [AccessTarget] = []
        for intention in request.intentions {
            let domain = try domains.domain(intention.location.domain)
            // Who wants only what is known here does not wait for the remote's news (COORD-13), nor who makes something new.
            let room = request.isCreating ? try await room(for: intention, in: domain, by: owner) : nil
            if intention.wantsNews, room == nil {
                try await pending.during(.news, intention, by: owner) { () async throws(DocumentError) in
                    if try isHere(intention) {
                        try await follower.freshenBriefly(domain)
                    } else {
                        try await follower.freshen(domain)
                    }
                }
            }
            let (target, around) = try await pending.during(.place, intention, by: owner) {
                () async throws(DocumentError) -> (AccessTarget, KnownItem) in
                try await self.target(of: intention, in: domain, request, room)
            }
            let item = around.item
            targets.append(target)
            guard case .item = target else {
                // Of a place it is its folder that grants cover.
                try permit.check(item, intention, storage)
                continue
            }
            // A bookmark is a grant of its own.
            if request.bookmark == nil { try exported.check(item.key, at: intention.location, by: owner) }
            try permit.check(item, intention, storage)
            if !request.isPreparation { try check(item, intention, domain) }
            if intention.needsContents, !request.isPreparation, try isOutdated(item) {
                let now = try await replaceOutdated(
                    item, on: domain, for: request, intention, purpose: purpose, by: owner, nestedIn: nested,
                    onProgress: onProgress)
                targets[targets.count - 1] = .item(now.key)
            }
        }
        while true {
            let halt = PausedContents()
            do throws(DocumentError) {
                return try await claim(
                    targets, request, nested, purpose, halt, by: owner, share, rights, onProgress)
            } catch {
                // What is paused is not claimed until it is resumed.
                guard let paused = halt.first, !Task.isCancelled else { throw error }
                targets = try await untilResumed(paused, targets, request, by: owner)
            }
        }
    }

    /// - Returns: nil as above.
    /// - Throws: anything when the contents are paused; `halt` knows of what then.
    private func claim(
        _ targets: [AccessTarget], _ request: AccessRequest, _ nested: Set<ClaimID>, _ purpose: Purpose?,
        _ halt: PausedContents, by owner: ClaimOwner, _ share: AccessQuota.Share, _ rights: AccessRights,
        _ onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> Grant? {
        let wanted = try coordinated(targets, for: request.intentions)
        let snapshots = Snapshots()
        let coming = request.takesContentsAsTheyCome ? ComingContents() : nil
        do throws(DocumentError) {
            let grant = try await broker.claim(
                provide: { [self] wanted throws(DocumentError) in
                    // A tool's own access around this one, or one with its purpose, may be in the middle of a save.
                    let isAlone = nested.isEmpty && request.purpose == nil
                    for item in wanted {
                        let isLooking = isAlone && !isWrittenBeside(item, request)
                        let paused = try await provide(
                            item, for: request, by: owner, looking: isLooking, coming, onProgress)
                        guard let paused else { continue }
                        halt.found(paused, in: item)
                        throw DocumentError(.cancelled, "\(item.location) is paused.")
                    }
                },
                snapshot: { [self] wanted throws(DocumentError) in try await makeSnapshots(of: wanted, in: snapshots) },
                { id in
                    Claim(
                        id: id, owner: owner, intentions: wanted,
                        style: request.isPreparation ? .preparation : .access, purpose: purpose,
                        coordinator: request.coordinator.map { CoordinatorID(owner: owner.id, number: $0) },
                        providesContents: true, nestedIn: nested, answering: request.answering.map(MessageID.init),
                        isOfMount: request.isOfMount)
                })
            return try await hold(grant, targets, wanted, request, snapshots, coming?.file, by: owner, share, rights)
        } catch {
            snapshots.remove()
            if error.code == .noSuchItem, try isReplaced(targets, request) { return nil }
            throw error
        }
    }

    /// Whether another mount's program may be in the middle of a save, whose end looks at it.
    private func isWrittenBeside(_ item: CoordinatedItem, _ request: AccessRequest) -> Bool {
        guard request.isOfMount, case .item(let key) = item.subject else { return false }
        return accesses.isWritten(key)
    }

    /// COORD-6, COORD-36. Nil: a purpose of its own.
    func purpose(of request: AccessRequest, by owner: ClaimOwner) throws(DocumentError) -> Purpose? {
        let presenter = try request.presenter.map { number throws(DocumentError) in
            try presenters.presenter(number, of: owner)
        }
        return try Purpose(identifier: request.purpose, presenter: presenter)
    }

    /// As the resolver finds it, without a second look for what is known.
    func find(_ location: Location, in domain: Domain) async throws(DocumentError) -> KnownItem {
        if !location.isRoot { try domain.requireVisible() }
        if let found = try known.item(at: location), found.item.exists { return found }
        return try current(try await resolver.resolve(location, in: domain).key, location)
    }

    private func coordinated(
        _ targets: [AccessTarget], for intentions: [AccessRequest.Intention]
    ) throws(DocumentError) -> [AccessIntention] {
        var wanted: [AccessIntention] = []
        for (target, intention) in zip(targets, intentions) {
            let item =
                switch target {
                case .item(let key): try current(key, intention.location).coordinated
                case .place(let place): place.coordinated
                }
            wanted.append(
                AccessIntention(
                    item,
                    intention.intent == .reading
                        ? .reading(intention.readingOptions.subtracting(.readingAhead))
                        : .writing(intention.writingOption)))
        }
        return wanted
    }

    /// What was granted is looked at again, and written down: while it waited, an item may have been renamed, sent, or
    /// removed (COORD-7).
    private func hold(
        _ grant: CoordinationBroker.Grant, _ targets: [AccessTarget], _ wanted: [AccessIntention],
        _ request: AccessRequest, _ snapshots: Snapshots, _ coming: ComingFile?, by owner: ClaimOwner,
        _ share: AccessQuota.Share, _ rights: AccessRights
    ) async throws(DocumentError) -> Grant? {
        var access = Access(
            claim: grant.id, owner: owner, share: share, intentions: request.isPreparation ? [] : wanted, keys: [],
            snapshots: snapshots.made)
        var now: [GrantedItem] = []
        do throws(DocumentError) {
            guard let found = try located(targets, request, grant) else {
                await giveUp(access, snapshots)
                return nil
            }
            try await check(found, request, by: owner, rights)
            for (index, (target, intention)) in zip(targets, request.intentions).enumerated() {
                switch target {
                case .place(let place):
                    guard
                        let granted = try await hold(
                            place, index, at: intention.location, in: &access, creating: request.isCreating)
                    else {
                        await giveUp(access, snapshots)
                        return nil
                    }
                    now.append(granted)
                case .item(let key):
                    let found = try current(key, intention.location)
                    access.keys.append(key)
                    let item = found.item
                    if wanted[index].intent.writesContents, item.item.kind == .package, !request.isPreparation {
                        let isReplacing = intention.writingOption == .forReplacing
                        access.edits.append(
                            try await storage.run { store in
                                try store.expectEdits(of: item.id, in: item.domain, replacing: isReplacing)
                            })
                    }
                    if intention.intent == .writing, item.item.kind == .document, !request.isPreparation {
                        let isReplacing = intention.writingOption == .forReplacing
                        access.changes.append(
                            try await storage.run { store in
                                try store.expectChange(of: item.id, in: item.domain, replacing: isReplacing)
                            })
                    }
                    var path = index < snapshots.made.count ? snapshots.made[index].path : nil
                    if let coming, item.local == nil {
                        access.coming = coming
                        path = coming.path
                    }
                    now.append(.item(found, otherPath: path))
                }
            }
        } catch {
            await giveUp(access)
            throw error
        }
        accesses.insert(access)
        return Grant(number: grant.id.rawValue, items: now)
    }

    /// Nobody has written: what was expected has not come.
    private func giveUp(_ access: Access, _ snapshots: Snapshots? = nil) async {
        for change in access.changes { _ = try? await storage.run { try $0.recordChange(change) } }
        for edits in access.edits { try? await parts.record(edits, dropping: false) }
        _ = try? await takeIn(access)
        snapshots?.remove()
        broker.end(access.claim, effects: access.intentions.map { _ in .unchanged })
    }

    func current(_ key: ItemKey, _ location: Location) throws(DocumentError) -> KnownItem {
        var found = try known.item(key)
        // Claims follow an item's new identifier a moment before the index does.
        if found == nil, let other = try known.item(at: location), broker.isIdentified(other.coordinated, as: key) {
            found = other
        }
        guard let now = found, try isShown(now.item) else {
            throw Self.wasRemoved(location)
        }
        return now
    }

    /// Most are there: that costs no look into the index.
    private func isShown(_ item: IndexedItem) throws(DocumentError) -> Bool {
        if item.exists { return true }
        return try storage.read { try $0.isShown(item) }
    }

    /// Whether the contents are here that are known to be the newest: who wants them can go on without the provider.
    private func isHere(_ intention: AccessRequest.Intention) throws(DocumentError) -> Bool {
        let item = try storage.read { try $0.item(at: intention.location) }
        guard let item, item.item.kind == .document, item.local != nil else { return false }
        return try !isOutdated(item)
    }

    private func check(
        _ item: IndexedItem, _ request: AccessRequest.Intention, _ domain: Domain
    ) throws(DocumentError) {
        try domain.require([.open, .import], for: "opened")
        guard item.state != .nameClash else {
            throw DocumentError(
                .nameClash,
                "\(request.location) cannot be shown here, because another name in its folder is the same but for case or Unicode form; rename one of them on the remote."
            )
        }
        guard request.intent == .writing else { return }
        try domain.require([.open], for: "edited")
        try domain.requireModifying(request.location)
        // A folder is claimed for what is done in it, or with it; its contents are the items inside.
        guard item.item.kind == .document else { return }
        try item.requireWritable(at: request.location)
    }
}

extension AccessRequest.Intention {
    /// What is removed is removed in the version that is known here, or not at all, and what gets another place keeps its
    /// contents.
    var wantsNews: Bool {
        intent == .writing
            ? writingOption != .forDeleting && writingOption != .forMoving : readingOptions.needsContents
    }
}
