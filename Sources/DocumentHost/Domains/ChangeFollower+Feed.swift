import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher

/// Changes since an anchor, page by page (PROV-21).
extension ChangeFollower {
    /// - Parameter news: what there was when it was begun.
    /// - Returns: false when there is none.
    func readFeed(
        of domain: Domain, _ session: ProviderSession, _ news: UInt64
    ) async throws(DocumentError) -> Bool {
        // What a page told is followed to its end, also when a host has died over that.
        if try storage.read({ try $0.hasOpenPage(of: domain.name) }) { try await reopenPage(of: domain) }
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
                    try await reopenPage(of: domain)
                    throw error
                }
                if outcome.leavesOpen {
                    try await storage.run { store in
                        try store.root.index.write(durably: false) { index in
                            try index.closePage(to: changes.anchor, of: domain.name)
                        }
                    }
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

    private func reopenPage(of domain: Domain) async throws(DocumentError) {
        try await storage.write { try $0.reopenPage(of: domain.name) }
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
}
