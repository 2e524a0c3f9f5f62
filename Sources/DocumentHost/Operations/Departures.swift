import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// Items that leave their domain, because a tool has a copy in a place of its own: removed at the provider, in the
/// version that was copied, and so on all other machines (CONT-9).
struct Departures: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let domains: DomainRegistry
    let resolver: ItemResolver
    let accesses: AccessTable
    let deletions: DeletionDesk
    let localMoves: LocalMoves
    let outside: OutsidePaths
    let owner: ClaimOwner
    let wakes: DomainWakes
    let retry: RetryPolicy
    /// Counts from some moment, and never backwards.
    let clock: @Sendable () -> Duration
    let logger: Logger
    private let underWay = DeparturesUnderWay()

    /// - Parameter tool: who asks, inside of its own access for deleting the item.
    func moveOut(_ call: MoveOutCall, on domain: Domain, by tool: ClaimOwner) async throws(DocumentError) {
        let location = call.location
        try domain.requireModifying(location)
        let item = try await resolver.resolve(location, in: domain)
        guard !location.isRoot else {
            throw DocumentError(.invalidArgument, "The domain itself cannot be moved out: name what is in it.")
        }
        guard let claim = accesses.claim(of: tool, at: location, for: .writing(.forDeleting)) else {
            throw DocumentError(
                .invalidArgument,
                "\(location) was to be moved out without an access for deleting it: begin one, copy, and ask inside of it."
            )
        }
        let parts = call.parts.map { part in
            CopiedPart(
                path: part.path,
                file: part.file.map { FileIdentity(inode: $0.inode, size: $0.size, modified: $0.modified) })
        }
        do throws(DocumentError) {
            try await check(item, at: location, is: parts)
            let leaving = try storage.read { try $0.coordinated(item) }
            // So much may need a yes, like any other removal (CONT-13). Until then the entry stays open, and both are there.
            let entry = try await deletions.beginLeaving(item, at: location, copiedTo: call.destinationPath, parts)
            let isOurs = underWay.begin(entry)
            defer { if isOurs { underWay.end(entry) } }
            try await carryOut(entry, item, on: domain, isResumed: false)
            await localMoves.left(leaving, to: call.destinationPath, tellingItself: tool, in: claim)
        } catch {
            if error.code == .cancelled { throw error }
            throw error.wrapped(
                "\(location) was not moved out: \(error.message) It stays, and so does the copy at \(call.destinationPath)."
            )
        }
    }

    /// Somebody said yes to what waited for it.
    ///
    /// - Returns: false when that was no move out.
    func carryOut(_ removal: HeldRemoval) async throws(DocumentError) -> Bool {
        guard let entry = try open(of: removal.item.id, in: removal.item.domain) else { return false }
        do throws(DocumentError) {
            try await resume(entry, isApproved: true)
        } catch {
            // It stays, with its copy, and is no removal that anybody could say yes to once more.
            if try open(of: removal.item.id, in: removal.item.domain) == nil {
                try await deletions.forget(removal.item.id, in: removal.item.domain)
            }
            throw error
        }
        return true
    }

    /// Somebody said no: what was to be moved out stays, and so does the copy.
    func forget(_ removals: [HeldRemoval]) async throws(DocumentError) {
        for removal in removals {
            while let entry = try open(of: removal.item.id, in: removal.item.domain) {
                try await storage.run { try $0.forgetLeaving(entry) }
            }
        }
    }

    private func open(of id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> JournalEntry? {
        try storage.read { try $0.journal(of: id, in: domain) }.last { $0.action == .leave }
    }

    /// After a start, and when a provider can be asked again: what was to leave, and was copied, leaves now. What cannot be
    /// asked now is asked later, as its error says, and what waits for a yes goes on waiting. In a domain that cannot be used it
    /// stays to be done, and its items say so; nobody looks again before the domain can be.
    func resume(_ domain: DomainName?) async {
        let entries = (try? storage.read { try $0.journal() }) ?? []
        for entry in entries where entry.action == .leave && (domain == nil || entry.domain == domain) {
            guard !isWaiting(entry), underWay.begin(entry) else { continue }
            defer { underWay.end(entry) }
            do throws(DocumentError) {
                try await resume(entry, isApproved: false)
                underWay.succeeded(in: entry.domain)
            } catch {
                logger.notice(
                    "what was moved out before the host ended is not removed",
                    metadata: ["item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)"])
                guard error.code != .cancelled else { continue }
                _ = try? await storage.run { try $0.postponeLeaving(entry, because: error) }
                // Who makes a domain usable has everything resumed that waits for that.
                if domains.find(entry.domain) != nil, isOpen(entry) { tryAgain(entry.domain, after: error) }
            }
        }
    }

    /// Whether somebody has to say yes to it first. What cannot be looked up may have to.
    private func isWaiting(_ entry: JournalEntry) -> Bool {
        entry.itemID.map { id in (try? deletions.isWaiting(id, in: entry.domain)) ?? true } ?? false
    }

    private func isOpen(_ entry: JournalEntry) -> Bool { (try? storage.read { try $0.open(entry) }) != nil }

    /// What its provider has to resolve first leaves when that says that it is. Any other error that leaves the entry open, as one
    /// of whoever uses the item, may be over after a while.
    private func tryAgain(_ name: DomainName, after error: DocumentError) {
        let (attempt, jitter) = (underWay.failed(in: name), Double.random(in: 0...1))
        let delay: Duration
        switch retry.decision(for: error, attempt: attempt, jitter: jitter) {
        case .hold: return
        case .retry(let after): delay = after
        case .giveUp: delay = retry.pause(attempt: attempt, jitter: jitter)
        }
        wakes.wake(name, at: clock() + delay) { [self] in await resume(name) }
    }

    /// - Parameter isApproved: somebody has said yes; else what waits for that goes on waiting.
    private func resume(_ entry: JournalEntry, isApproved: Bool) async throws(DocumentError) {
        guard let id = entry.itemID, let item = try storage.read({ try $0.item(id, in: entry.domain) }),
            let location = try storage.read({ try $0.location(of: id, in: entry.domain) })
        else { return try await storage.run { try $0.finishLeaving(entry) } }
        let domain = try domains.domain(entry.domain)
        let leaving = try storage.read { try $0.coordinated(item) }
        let claim = try await broker.claim(leaving, for: .writing(.forDeleting), by: owner)
        defer { broker.end(claim) }
        // Whoever was waited for may have brought it to its end, or have been told that it needs a yes; or somebody has said no.
        guard try open(of: id, in: entry.domain)?.id == entry.id, isApproved || !isWaiting(entry) else { return }
        do throws(DocumentError) {
            try await check(item, at: location, is: entry.payload.parts)
        } catch {
            try await storage.run { try $0.abandonLeaving(entry, because: error) }
            throw error
        }
        if let gone = try await goneCopy(of: entry) {
            let error = DocumentError(
                .unsyncedEdits,
                "Nothing is at “\(gone)” any more, where it was copied to: move \(location) out anew, or remove it.")
            try await storage.run { try $0.abandonLeaving(entry, because: error, hasCopy: false) }
            throw error
        }
        try await carryOut(entry, item, on: domain, isResumed: true)
        let copy = String(decoding: entry.payload.source ?? [], as: UTF8.self)
        await localMoves.left(leaving, to: copy, tellingItself: nil, in: claim)
    }

    // MARK: - Looking

    /// Until it is removed here, people see both, after an error, too: whoever has removed the copy since has only this one.
    ///
    /// - Returns: a place in the copy that nothing is in by now; nil when all of it may be there.
    private func goneCopy(of entry: JournalEntry) async throws(DocumentError) -> FilePath? {
        guard let source = entry.payload.source else { return nil }
        let copy = FilePath(String(decoding: source, as: UTF8.self))
        let parts: [FilePath] = entry.payload.parts.map { part in
            part.path.reduce(copy) { $0.appending($1.rawValue) }
        }
        return try await outside.look(at: copy) { () -> FilePath? in
            ([copy] + parts).first(where: { OutsideTree.isGone($0) })
        }
    }

    /// All that is in it is here, and is what was copied.
    private func check(_ item: IndexedItem, at location: Location, is parts: [CopiedPart]) async throws(DocumentError) {
        let copied = Dictionary(parts.map { ($0.path, $0) }) { first, _ in first }
        for (part, path) in try inside(item) where part.item.kind == .document {
            let place = Location(domain: location.domain, components: location.components + path)
            guard part.state != .conflict else {
                throw DocumentError(
                    .inConflict, "\(place) was changed on both sides; docent resolve says which contents to keep.")
            }
            guard part.item.capabilities.contains(.delete) else {
                throw DocumentError(.deletionRejected, "\(place) cannot be removed on the remote.")
            }
            guard part.local != nil, let file = copied[path]?.file,
                try storage.read({ _ in try storage.store.root.tree.file(at: place) })?.hasSameContents(as: file)
                    == true
            else {
                throw DocumentError(
                    .unsyncedEdits, "\(place) is not what was copied: it was changed, or came meanwhile.")
            }
        }
    }

    /// An item and all that is in it, folders before what lies in them, with the names on the way.
    private func inside(_ item: IndexedItem) throws(DocumentError) -> [(item: IndexedItem, path: [ItemName])] {
        var found: [(item: IndexedItem, path: [ItemName])] = [(item, [])]
        var next = 0
        while next < found.count {
            let (folder, path) = found[next]
            next += 1
            guard folder.item.kind != .document else { continue }
            var cursor: ChildCursor?
            repeat {
                let after = cursor
                let page = try storage.read {
                    try $0.children(of: folder.id, in: folder.domain, after: after, limit: 200)
                }
                for child in page.items where child.exists {
                    guard let name = child.item.name else { continue }
                    guard child.state != .nameClash else {
                        throw DocumentError(
                            .nameClash,
                            "“\(name)” has another's name but for case or Unicode form, and is not here: rename one of them."
                        )
                    }
                    found.append((child, path + [name]))
                }
                cursor = page.next
            } while cursor != nil
        }
        return found
    }

    // MARK: - Removing

    /// Documents one by one, each in the version that was copied; then the folders that nothing is left in. What the
    /// remote has changed or got meanwhile stays.
    private func carryOut(
        _ entry: JournalEntry, _ item: IndexedItem, on domain: Domain, isResumed: Bool
    ) async throws(DocumentError) {
        do throws(DocumentError) {
            for (part, _) in try inside(item).reversed() { try await remove(part, on: domain) }
            try await storage.run { try $0.finishLeaving(entry) }
        } catch {
            // Whoever asked is told that it stays; after a start nobody waits for an answer, and it can be asked again.
            let staysOpen = isResumed && [.resolvable, .transient].contains(error.code.errorClass)
            if !staysOpen, !(isResumed && error.code == .cancelled) {
                try await storage.run { try $0.abandonLeaving(entry, because: error) }
            }
            throw error
        }
    }

    private func remove(_ part: IndexedItem, on domain: Domain) async throws(DocumentError) {
        try await locks.withLock(part.key) { () async throws(DocumentError) in
            // It may have been sent since, or got another identifier.
            guard let now = try storage.read({ try $0.item(part.id, in: part.domain) }) else { return }
            guard !now.isArriving else { return try await storage.run { try $0.dropArriving(now) } }
            let isUnsent = now.isUnsent
            let change = try await storage.run {
                try $0.beginRemoving(now.id, in: now.domain, discardingEdits: isUnsent, skippingTrash: true)
            }
            let base = now.item.kind == .document ? now.versionToRemove.contentOnly : .none
            do throws(DocumentError) {
                try await domain.provider.delete(
                    ProviderCall.DeleteCall(
                        id: now.id, baseVersion: base, recursive: false, operation: change.operation))
            } catch {
                // Somebody else was quicker, or it was done before the host ended.
                guard error.code == .noSuchItem else {
                    try await storage.run { try $0.abandon(change) }
                    throw error
                }
            }
            try await storage.run { try $0.finishRemoving(change) }
        }
    }
}
