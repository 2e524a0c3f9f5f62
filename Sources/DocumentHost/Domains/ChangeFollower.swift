import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// Takes up what providers tell of the remote: changes since the last anchor, and whole folders when there is no such
/// way.
struct ChangeFollower: Sendable {
    private static let pageSize = 500
    /// How often an expired page or anchor is started over before it counts as an error.
    private static let restarts = 5

    let storage: StorageThreads
    let treeWork: TreeWork
    let deletions: DeletionDesk
    let catchUps: SharedTransfers<DomainName, Void>
    let listings: SharedTransfers<ItemKey, Void>
    let placeholders: PlaceholderWriter
    /// Is told of items that must be sent, because the remote changed under them.
    let sender: Sender
    let logger: Logger

    /// How long after a vain question what is known here has to do, without another.
    private static let pause = Duration.seconds(10)
    /// How long who can go on with what is here waits for what is new; and how long, when that was in vain, nobody does again,
    /// unless there is an answer: as long as a provider may take for one.
    private static let patience = Duration.seconds(3)
    private static let latePause = Duration.seconds(30)

    /// Makes sure that nothing that the provider has told so far is missing in the index. Cheap when it is so already.
    func ensureFresh(_ domain: Domain) async throws(DocumentError) {
        if domain.isCaughtUp || !domain.mayHaveFeed { return }
        try await catchUp(domain)
    }

    /// As ``ensureFresh(_:)``; but when the provider cannot be asked, what is known here has to do.
    ///
    /// Where that has just been found out, nobody waits for it again for a while.
    func freshen(_ domain: Domain) async throws(DocumentError) {
        if domain.isNewsOverdue { return }
        do throws(DocumentError) {
            try await ensureFresh(domain)
        } catch {
            try goOn(domain, without: error)
        }
    }

    private func goOn(_ domain: Domain, without news: DocumentError) throws(DocumentError) {
        if news.code == .cancelled { throw news }
        domain.newsFailed(for: Self.pause)
        logger.notice("going on with what is known here", metadata: ["domain": "\(domain.name)", "error": "\(news)"])
    }

    /// As ``freshen(_:)``, for who has what it needs here: a provider that does not answer keeps it waiting for a moment only,
    /// and the question goes on without it.
    func freshenBriefly(_ domain: Domain) async throws(DocumentError) {
        if domain.isNewsOverdue || domain.isCaughtUp || !domain.mayHaveFeed { return }
        let outcome = await withTaskGroup(of: Result<Void, DocumentError>?.self) { group in
            group.addTask {
                do throws(DocumentError) {
                    return .success(try await self.catchUp(domain, goesOn: true))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
        switch outcome {
        case .success: return
        case nil:
            domain.newsFailed(for: Self.latePause)
            logger.notice(
                "going on with what is known here: the provider does not say what is new",
                metadata: ["domain": "\(domain.name)"])
        case .failure(let error): try goOn(domain, without: error)
        }
    }

    /// Asks for changes now, whether or not the provider signalled some; does nothing where it has said that it tells none.
    ///
    /// - Parameter goesOn: also when who asks is gone.
    func catchUp(_ domain: Domain, goesOn: Bool = false) async throws(DocumentError) {
        try await catchUps.join(domain.name, onProgress: nil, goesOn: { goesOn }) { _ throws(DocumentError) in
            guard domain.mayHaveFeed else { return }
            // A provider that signals all the time is asked again at the next use.
            for _ in 0..<Self.restarts {
                // Started before the count is taken: its start is news.
                let capabilities = try await domain.supervisor.withProvider { live throws(DocumentError) in
                    live.capabilities
                }
                let news = domain.beginCatchingUp()
                if capabilities.contains(.changes) {
                    guard try await readFeed(of: domain, domain.provider, news) else {
                        _ = domain.caughtUp(with: news)
                        return
                    }
                    // Only now is it known how much of it is gone.
                    try await deletions.settle(domain.name)
                }
                if domain.caughtUp(with: news) { return }
            }
        }
    }

    /// Takes up what the provider signals, until it has nothing new. One that signals all the time is asked less and
    /// less often.
    func follow(_ domain: Domain) async {
        var pause = Duration.zero
        repeat {
            if pause > .zero { try? await Task.sleep(for: pause) }
            pause = min(max(pause * 2, .milliseconds(20)), .seconds(5))
            domain.beginsToFollow()
            do throws(DocumentError) {
                try await ensureFresh(domain)
            } catch {
                logger.notice(
                    "the remote's changes could not be read",
                    metadata: ["domain": "\(domain.name)", "error": "\(error)"])
            }
        } while !Task.isCancelled && !domain.endsToFollow()
    }

    /// - Parameter news: what there was when it was begun.
    /// - Returns: false when there is none.
    private func readFeed(
        of domain: Domain, _ session: ProviderSession, _ news: UInt64
    ) async throws(DocumentError) -> Bool {
        var anchor = try storage.read { try $0.domain(domain.name)?.anchor }
        var restarts = 0
        var progress = PagingProgress("the feed of \(domain.name)", of: session)
        while true {
            guard let since = anchor else {
                // Taken before anything is listed: an anchor newer than the listing would lose changes (PROV-21).
                let expired = try storage.read { try $0.domain(domain.name)?.anchor }
                let first: SyncAnchor
                do throws(DocumentError) {
                    first = try await session.currentAnchor()
                } catch {
                    guard error.code == .unimplemented else { throw error }
                    // An anchor says that there is a feed, also to the next host.
                    if expired != nil {
                        _ = try await storage.write { index in
                            try index.setAnchor(nil, of: domain.name, ifStill: expired)
                        }
                    }
                    domain.foundNoFeed(asOf: news)
                    return false
                }
                // What was listed before there was an anchor that holds. Only then it is written down: whoever is
                // interrupted begins again.
                try await listKnownFoldersAgain(domain, session)
                let isStill = try await storage.write { index in
                    try index.setAnchor(first, of: domain.name, ifStill: expired)
                }
                if isStill {
                    domain.foundFeed()
                    return true
                }
                anchor = try storage.read { try $0.domain(domain.name)?.anchor }
                continue
            }
            do throws(DocumentError) {
                let question = storage.store.questions.begin(of: domain.name)
                let changes = try await session.changes(since: since, suggestedCount: Self.pageSize)
                guard !changes.more || changes.anchor != since else {
                    throw session.broken("says that \(domain.name) has more changes, at an anchor that does not move")
                }
                let outcome = try await storage.run {
                    try $0.apply(
                        changes, in: domain.name, since: since, leavingWork: true, holding: true, answering: question)
                }
                domain.foundFeed()
                try await take(outcome, domain)
                do throws(DocumentError) {
                    try await follow(outcome.rejected.map(\.id), of: domain)
                    try await lookAgain(at: outcome.leftOut, of: domain)
                } catch {
                    // These changes are to be read once more.
                    _ = try await storage.write { index in
                        try index.setAnchor(since, of: domain.name, ifStill: changes.anchor)
                    }
                    throw error
                }
                let now = try storage.read { try $0.domain(domain.name)?.anchor }
                guard now == changes.anchor else {
                    // Set back meanwhile, so that what was told since is read once more.
                    anchor = now
                    progress = PagingProgress("the feed of \(domain.name)", of: session)
                    continue
                }
                if !changes.more { return true }
                try progress.took(changes.anchor.bytes, bringsNews: outcome.isNews)
                anchor = changes.anchor
            } catch {
                // A feed that has ended is one of which no anchor holds.
                guard error.code == .anchorExpired || error.code == .unimplemented else { throw error }
                guard restarts < Self.restarts else {
                    throw neverReadable("the anchors of the feed", of: domain, because: error)
                }
                logger.info("the anchor has expired; listing again", metadata: ["domain": "\(domain.name)"])
                restarts += 1
                anchor = nil
            }
        }
    }

    /// Items that are known here and went to a folder that nobody has looked into yet: the provider is asked for the
    /// folders around them. Those that were never seen here are found when their folder is listed.
    ///
    /// - Returns: those that are gone there.
    @discardableResult
    private func follow(
        _ rejected: [ItemIdentifier], of domain: Domain
    ) async throws(DocumentError) -> [ItemIdentifier] {
        var gone: [ItemIdentifier] = []
        for id in rejected {
            guard try storage.read({ try $0.item(id, in: domain.name) }) != nil else { continue }
            let told: [Item]
            do throws(DocumentError) {
                told = try await ItemLineage(storage: storage).ask(for: id, in: domain)
            } catch {
                // Gone again, of which the feed tells, too; or it is nowhere, and keeps nothing else from being read.
                guard error.code == .noSuchItem || error.code == .contractBroken else { throw error }
                if error.code == .noSuchItem { gone.append(id) }
                logger.notice(
                    "an item that moved cannot be followed",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(id)", "error": "\(error)"])
                continue
            }
            try await take(
                try await storage.run { try $0.apply(told, in: domain.name, leavingWork: true) }, domain)
        }
        return gone
    }

    /// What was removed or moved at the provider, as here, while it was asked: it is as it is told of now.
    private func lookAgain(at ids: [ItemIdentifier], of domain: Domain) async throws(DocumentError) {
        for id in ids {
            var isLeftOut = true
            // As often as that goes on.
            while isLeftOut {
                let question = storage.store.questions.begin(of: domain.name)
                let told: [Item]
                do throws(DocumentError) {
                    told = try await ItemLineage(storage: storage).ask(for: id, in: domain)
                } catch {
                    // Removed, as it was to be; or known by another identifier by now.
                    guard error.code == .noSuchItem || error.code == .contractBroken else { throw error }
                    break
                }
                let outcome = try await storage.run {
                    try $0.apply(told, in: domain.name, leavingWork: true, answering: question)
                }
                try await take(outcome, domain)
                isLeftOut = !outcome.leftOut.isEmpty
            }
        }
    }

    /// Lists a folder completely into the index.
    ///
    /// - Parameter goesOn: also when who asks is gone.
    func list(
        _ folder: ItemIdentifier, of domain: Domain, goesOn: Bool = false,
        onProgress: SharedTransfers<ItemKey, Void>.ProgressObserver? = nil
    ) async throws(DocumentError) {
        // Its provider does not know it yet: all that is in it was made here.
        if folder.isArriving { return }
        let key = ItemKey(domain: domain.name, id: folder)
        try await listings.join(key, onProgress: onProgress, goesOn: { goesOn }) {
            report throws(DocumentError) in
            _ = try await list(folder, of: domain, domain.provider, report)
            try await deletions.settle(domain.name)
        }
    }

    /// The same for who can do without: returns also when the provider cannot be asked, or does not answer in time. The listing
    /// goes on then.
    func list(
        _ folder: ItemIdentifier, of domain: Domain, within patience: Duration
    ) async throws(DocumentError) {
        let outcome = await withTaskGroup(of: Result<Void, DocumentError>?.self) { group in
            group.addTask {
                do throws(DocumentError) {
                    return .success(try await self.list(folder, of: domain, goesOn: true))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
        guard case .failure(let error) = outcome else { return }
        guard error.code.errorClass == .resolvable || error.code.errorClass == .transient, error.code != .cancelled
        else { throw error }
        logger.notice("going on without a listing", metadata: ["domain": "\(domain.name)", "error": "\(error)"])
    }

    /// The same for nobody in particular.
    ///
    /// - Returns: whether anything was new.
    func listAgain(_ folder: ItemIdentifier, of domain: Domain) async throws(DocumentError) -> Bool {
        // One that is under way for somebody else may well bring news.
        let isNews = Mutex(true)
        try await listings.join(ItemKey(domain: domain.name, id: folder), onProgress: nil) {
            report throws(DocumentError) in
            let news = try await list(folder, of: domain, domain.provider, report)
            isNews.withLock { $0 = news }
            try await deletions.settle(domain.name)
        }
        return isNews.withLock { $0 }
    }

    /// With a listing's last page, what was not in it is gone from here. It may just as well have moved to another folder: of
    /// what has contents here, and of what somebody has pinned, paused or asked for, the provider is asked before that goes,
    /// too (RS-8, PH-9).
    private func followUnseen(
        in folder: ItemIdentifier, _ generation: Int64, listed: [Item], of domain: Domain
    ) async throws(DocumentError) {
        let listed = Set(listed.map(\.id))
        let unseen = try storage.read {
            try $0.unseenOfNote(in: folder, of: domain.name, generation: generation)
        }
        // What was made here its provider does not know yet.
        let gone = try await follow(unseen.filter { !listed.contains($0) && !$0.isArriving }, of: domain)
        // What was in a folder that is gone may have left it before.
        for folder in gone {
            let inside = try storage.read { try $0.spokenOf(below: folder, in: domain.name) }
            try await follow(inside.filter { !listed.contains($0) && !$0.isArriving }, of: domain)
        }
        guard !gone.isEmpty else { return }
        try await storage.run { store in
            try store.root.index.write(durably: false) { try $0.giveUpWanted(of: gone, in: domain.name) }
        }
    }

    /// - Returns: whether anything was new.
    private func list(
        _ folder: ItemIdentifier, of domain: Domain, _ session: ProviderSession,
        _ report: @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> Bool {
        var isNews = false
        var attempt = 0
        while true {
            attempt += 1
            do throws(DocumentError) {
                let question = storage.store.questions.begin(of: domain.name)
                let generation = try await storage.run { try $0.beginListing(of: folder, in: domain.name) }
                var next: PageToken?
                var progress = PagingProgress("the listing of a folder of \(domain.name)", of: session)
                repeat {
                    let asked = next
                    let page = try await session.enumerate(folder, page: asked, suggestedCount: Self.pageSize)
                    if page.next == nil {
                        try await followUnseen(in: folder, generation, listed: page.items, of: domain)
                    }
                    let outcome = try await storage.run {
                        try $0.apply(
                            page, of: folder, in: domain.name, generation: generation, leavingWork: true,
                            holding: true, answering: question)
                    }
                    isNews = isNews || outcome.isNews
                    if outcome.inserted > 0 { placeholders.wake() }
                    try await take(outcome, domain)
                    try await lookAgain(at: outcome.leftOut, of: domain)
                    report(nil)
                    next = page.next
                    if let token = page.next { try progress.took(token.bytes, items: page.items) }
                } while next != nil
                return isNews
            } catch {
                guard error.code == .pageExpired else { throw error }
                guard attempt < Self.restarts else {
                    throw neverReadable("the pages of a folder", of: domain, because: error)
                }
            }
        }
    }

    /// The caller has no page and no anchor that could have expired: it is the provider that cannot be worked with.
    private func neverReadable(_ what: String, of domain: Domain, because error: DocumentError) -> DocumentError {
        domain.provider.broken(
            "lets \(what) of \(domain.name) expire before they can be used", causes: [error.message])
    }

    private func listKnownFoldersAgain(_ domain: Domain, _ session: ProviderSession) async throws(DocumentError) {
        for folder in try storage.read({ try $0.listedFolders(of: domain.name) }) {
            do throws(DocumentError) {
                _ = try await list(folder, of: domain, session) { _ in }
            } catch {
                // A folder that is gone is found missing in its parent's listing.
                guard error.code == .noSuchItem else { throw error }
            }
        }
    }

    /// Carries on with what the index made of it.
    private func take(_ outcome: ApplyOutcome, _ domain: Domain) async throws(DocumentError) {
        for (id, error) in outcome.rejected {
            logger.warning(
                "an item was left out", metadata: ["domain": "\(domain.name)", "item.id": "\(id)", "error": "\(error)"])
        }
        for id in outcome.clashes {
            logger.warning(
                "an item is not shown, because a sibling has the same name but for case or Unicode form",
                metadata: ["domain": "\(domain.name)", "item.id": "\(id)"])
            // What was made here gives way when it is sent, also when a rule had kept it here until now.
            if let hidden = try storage.read({ try $0.item(id, in: domain.name) }), let name = hidden.item.name,
                let parent = hidden.item.parentID,
                let holder = try storage.read({ try $0.holder(of: name, in: parent, of: domain.name) }),
                holder.isArriving
            {
                try sender.enqueue(arriving: holder)
            }
        }
        try await treeWork.perform(outcome.work)
        try treeWork.tell(of: outcome)
        for item in outcome.changed where item.state == .changed { sender.enqueue(item.key) }
    }
}
