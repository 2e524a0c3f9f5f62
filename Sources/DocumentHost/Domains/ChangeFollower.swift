import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher

/// Takes up what providers tell of the remote: changes since the last anchor, and whole folders when there is no such
/// way.
struct ChangeFollower: Sendable {
    static let pageSize = 500
    /// How often an expired page or anchor is started over before it counts as an error.
    static let restarts = 5

    let storage: StorageThreads
    let treeWork: TreeWork
    let deletions: DeletionDesk
    let catchUps: SharedTransfers<DomainName, Void>
    let listings: SharedTransfers<ItemKey, Void>
    /// Of one folder, one listing follows the other: what a second one began would end the first.
    let listingTurns = KeyedLock<ItemKey>()
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
        let news = domain.news
        do throws(DocumentError) {
            try await joinCatchUp(domain, goesOn)
            // Whoever was about to be done had asked before the last of it.
            if domain.mayHaveFeed, !domain.isAsked(since: news) { try await joinCatchUp(domain, goesOn) }
        } catch {
            domain.reach.unreadable(error)
            throw error
        }
    }

    private func joinCatchUp(_ domain: Domain, _ goesOn: Bool) async throws(DocumentError) {
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

    /// The caller has no page and no anchor that could have expired: it is the provider that cannot be worked with.
    func neverReadable(_ what: String, of domain: Domain, because error: DocumentError) -> DocumentError {
        domain.provider.broken(
            "lets \(what) of \(domain.name) expire before they can be used", causes: [error.message])
    }

    /// Carries on with what the index made of it.
    func take(_ outcome: ApplyOutcome, _ domain: Domain) async throws(DocumentError) {
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
