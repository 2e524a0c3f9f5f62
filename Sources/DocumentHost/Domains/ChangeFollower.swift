import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher

/// Takes up what providers tell of the remote: changes since the last anchor, and whole folders when there is no such
/// way.
struct ChangeFollower: Sendable {
    private static let pageSize = 500
    /// How often an expired page or anchor is started over before it counts as an error.
    private static let restarts = 5

    let storage: StorageThreads
    let treeWork: TreeWork
    let catchUps: SharedTransfers<DomainName, Void>
    let listings: SharedTransfers<ItemKey, Void>
    /// Is told of items that must be sent, because the remote changed under them.
    let sender: Sender
    let logger: Logger

    /// Makes sure that nothing that the provider has told so far is missing in the index. Cheap when it is so already.
    func ensureFresh(_ domain: Domain) async throws(DocumentError) {
        if domain.isCaughtUp || !domain.hasFeed { return }
        try await catchUp(domain)
    }

    /// As ``ensureFresh(_:)``; but when the provider cannot be asked, what is known here has to do.
    func freshen(_ domain: Domain) async throws(DocumentError) {
        do throws(DocumentError) {
            try await ensureFresh(domain)
        } catch {
            if error.code == .cancelled { throw error }
            logger.notice(
                "going on with what is known here", metadata: ["domain": "\(domain.name)", "error": "\(error)"])
        }
    }

    /// Asks for changes now, whether or not the provider signalled some.
    func catchUp(_ domain: Domain) async throws(DocumentError) {
        try await catchUps.join(domain.name, onProgress: nil) { _ throws(DocumentError) in
            guard domain.hasFeed else { return }
            // A provider that signals all the time is asked again at the next use.
            for _ in 0..<Self.restarts {
                // Started before the count is taken: its start is news.
                let capabilities = try await domain.supervisor.withProvider { live throws(DocumentError) in
                    live.capabilities
                }
                let news = domain.beginCatchingUp()
                if capabilities.contains(.changes) { try await readFeed(of: domain, domain.provider) }
                if domain.caughtUp(with: news) { return }
            }
        }
    }

    private func readFeed(of domain: Domain, _ session: ProviderSession) async throws(DocumentError) {
        var anchor = try storage.read { try $0.domain(domain.name)?.anchor }
        var restarts = 0
        var seen: Set<SyncAnchor> = []
        while true {
            guard let since = anchor else {
                // Taken before anything is listed: an anchor newer than the listing would lose changes (PROV-21).
                let first = try await session.currentAnchor()
                try await storage.write { try $0.setAnchor(first, of: domain.name) }
                if restarts > 0 { try await listKnownFoldersAgain(domain, session) }
                return
            }
            do throws(DocumentError) {
                let changes = try await session.changes(since: since, suggestedCount: Self.pageSize)
                guard !changes.more || seen.insert(changes.anchor).inserted else {
                    throw DocumentError(
                        .contractBroken,
                        "The provider of \(domain.name) says that there are more changes, at an anchor that does not move."
                    )
                }
                try await take(
                    try await storage.run { try $0.apply(changes, in: domain.name, leavingWork: true) }, domain)
                if !changes.more { return }
                anchor = changes.anchor
            } catch {
                guard error.code == .anchorExpired, restarts < Self.restarts else { throw error }
                logger.info("the anchor has expired; listing again", metadata: ["domain": "\(domain.name)"])
                restarts += 1
                anchor = nil
            }
        }
    }

    /// Lists a folder completely into the index.
    func list(
        _ folder: ItemIdentifier, of domain: Domain, onProgress: SharedTransfers<ItemKey, Void>.ProgressObserver? = nil
    ) async throws(DocumentError) {
        try await listings.join(ItemKey(domain: domain.name, id: folder), onProgress: onProgress) {
            report throws(DocumentError) in
            try await list(folder, of: domain, domain.provider, report)
        }
    }

    private func list(
        _ folder: ItemIdentifier, of domain: Domain, _ session: ProviderSession,
        _ report: @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        for attempt in 1... {
            do throws(DocumentError) {
                let generation = try await storage.write { try $0.beginListing(of: folder, in: domain.name) }
                var next: PageToken?
                var seen: Set<PageToken> = []
                repeat {
                    let asked = next
                    let page = try await session.enumerate(folder, page: asked, suggestedCount: Self.pageSize)
                    guard page.next.map({ seen.insert($0).inserted }) ?? true else {
                        throw DocumentError(
                            .contractBroken, "The provider of \(domain.name) lists a folder in a circle.")
                    }
                    try await take(
                        try await storage.run {
                            try $0.apply(page, of: folder, in: domain.name, generation: generation, leavingWork: true)
                        },
                        domain)
                    report(nil)
                    next = page.next
                } while next != nil
                return
            } catch {
                guard error.code == .pageExpired, attempt < Self.restarts else { throw error }
            }
        }
    }

    private func listKnownFoldersAgain(_ domain: Domain, _ session: ProviderSession) async throws(DocumentError) {
        for folder in try storage.read({ try $0.listedFolders(of: domain.name) }) {
            do throws(DocumentError) {
                try await list(folder, of: domain, session) { _ in }
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
        }
        for entry in outcome.work { try await treeWork.perform(entry) }
        for item in outcome.changed where item.state == .changed { sender.enqueue(item.key) }
    }
}
