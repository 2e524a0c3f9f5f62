import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher
import Synchronization

/// Folders, listed completely.
extension ChangeFollower {
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

    /// What the provider says at this moment is in a folder, whether or not it is taken up here: the first of it; nil when
    /// there is nothing.
    ///
    /// No listing that is under way is joined, as it may have been answered before; nor is one overtaken.
    func firstTold(in folder: ItemIdentifier, of domain: Domain) async throws(DocumentError) -> Item? {
        let session = domain.provider
        var next: PageToken?
        var progress = PagingProgress("the listing of a folder of \(domain.name)", of: session)
        repeat {
            let asked = next
            let page = try await session.enumerate(folder, page: asked, suggestedCount: Self.pageSize)
            if let first = page.items.first { return first }
            next = page.next
            if let token = page.next { try progress.took(token.bytes, items: page.items) }
        } while next != nil
        return nil
    }

    /// With a listing's last page, what was not in it is gone from here. It may just as well have moved to another folder: of
    /// what has contents here, and of what somebody has pinned, paused or asked for, the provider is asked before that goes,
    /// too (RS-8, PH-9).
    private func followUnseen(
        in folder: ItemIdentifier, _ generation: Int64, listed: [Item], of domain: Domain
    ) async throws(DocumentError) {
        guard storage.store.takes(.askingAboutUnseen) else { return }
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

    /// All of it is asked for after this was called: one that is under way for somebody else is waited for, and not joined.
    ///
    /// - Returns: whether anything was new.
    func list(
        _ folder: ItemIdentifier, of domain: Domain, _ session: ProviderSession,
        _ report: @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> Bool {
        try await listingTurns.withLock(ItemKey(domain: domain.name, id: folder)) {
            () async throws(DocumentError) -> Bool in
            try await listInTurn(folder, of: domain, session, report)
        }
    }

    private func listInTurn(
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
}
