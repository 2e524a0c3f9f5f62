internal import DocumentModel
internal import Logging
internal import Synchronization

/// One folder of a WebDAV server: what the provider's calls come to, whoever makes them.
final class WebDAVDomain: Sendable {
    let link: ServerLink
    let logger: Logger
    /// Nil where nothing is ever written.
    let gate: WriteGate?
    let ledger: WriteLedger
    let claims = ClaimWatch()
    /// Whether the server tells with contents the version that it tells of the document itself: found out when one is read.
    let tellsVersions = Atomic(false)
    /// When the server was last seen to give a document as a whole only: once is no proof that it always does.
    let withoutParts = Mutex<ContinuousClock.Instant?>(nil)
    /// What it said of documents before parts of them were asked for.
    let looks = Mutex<[RemotePath: Properties]>([:])
    /// When the last part of a document came.
    let lastPart = Mutex<ContinuousClock.Instant?>(nil)
    /// How far the server tells of changes.
    let feed: FeedFinder
    let news: NewsWatch
    let dotNames: NameTrial<Bool>
    let misreadNames: NameTrial<Set<UInt8>>
    let kept = Mutex(KeptListings())
    private let timing: Timing
    private let listings = Mutex(Listings())
    private let known = Mutex(KnownNames())
    private let lookout: Lookout
    private let signalReachable: @Sendable () -> Void
    let signalChanges: @Sendable () -> Void
    private let board: DomainBoard?

    /// - Parameters:
    ///   - board: where people are told of the server's room; nil for nobody.
    ///   - transport: nil for connections by HTTP.
    ///   - signalReachable: told that the server is there again after it was not.
    ///   - signalChanges: told that there is something new in the feed of changes.
    init(
        _ settings: WebDAVSettings, gate: WriteGate? = nil, ledger: WriteLedger? = nil, board: DomainBoard? = nil,
        logger: Logger, timing: Timing = Timing(), transport: (any ServerTransport)? = nil,
        signalReachable: @escaping @Sendable () -> Void = {}, signalChanges: @escaping @Sendable () -> Void = {}
    ) throws(DocumentError) {
        link = try ServerLink(settings, timing: timing, transport: transport)
        self.logger = logger
        self.gate = gate
        self.board = board
        self.ledger = ledger ?? WriteLedger(in: nil, logger: logger)
        self.timing = timing
        self.signalReachable = signalReachable
        self.signalChanges = signalChanges
        feed = FeedFinder(link) { gate.map { $0.capabilities != .readOnly } ?? false }
        news = NewsWatch(timing: timing)
        dotNames = .dotNames(on: link)
        misreadNames = .misreadNames(on: link)
        lookout = Lookout(timing: timing)
    }

    func close() async {
        lookout.stop()
        news.stop()
        await link.close()
    }

    // MARK: Reading

    func item(for id: ItemIdentifier) async throws -> Item {
        let path = try path(of: id)
        return try await patiently(path, "\(path.quoted) cannot be looked at") {
            try await link.look(at: path).properties.item(at: path, capabilities)
        }
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        let path = try path(of: container)
        let count = min(max(suggestedCount, 1), 10_000)
        if let page {
            return try self.page(try listings.withLock { try $0.page(page, of: path, count: count) }, of: path)
        }
        let entries = try await patiently(path, "\(path.quoted) cannot be listed") { try await list(path) }
        if path.isRoot { await lookForRoom() }
        guard entries.count > count else { return try self.page((entries[...], nil), of: path) }
        let key = UInt64.random(in: .min ... .max)
        listings.withLock { $0.add(entries, of: path, key: key) }
        return try self.page((entries[..<count], try Listings.token(key, count)), of: path)
    }

    /// Whoever looks at the top folder is told from time to time how much may be put there.
    private func lookForRoom() async {
        guard let board, board.isQuotaDue() else { return }
        do {
            board.tell(try await link.quota(of: .root))
        } catch {
            logger.debug("The server does not say how much room it has.", metadata: ["cause": "\(error)"])
        }
    }

    /// How much room there is for the domain's folder. Many servers do not say.
    func quota() async throws -> RemoteQuota {
        let quota: Quota
        do {
            quota = try await checked(.root, "How much room there is cannot be asked") {
                try await link.quota(of: .root)
            }
        } catch let error as DocumentError where [.cannotSynchronize, .notPermitted].contains(error.code) {
            // It does not know the question, or answers it to others.
            return .unknown
        }
        board?.tell(quota)
        return try quota.told
    }

    /// What may be done with items here.
    var capabilities: ItemCapabilities { gate?.capabilities ?? .readOnly }

    /// What Docent itself has taken away is missing on purpose.
    func forget(_ path: RemotePath) {
        guard let folder = path.parent, let name = path.name else { return }
        known.withLock { $0.forget(name, in: folder) }
    }

    /// What was seen in a folder is missed at its new place, where it is out of sight there.
    func knowMoved(_ source: RemotePath, to target: RemotePath) {
        known.withLock { $0.move(source, to: target) }
    }

    /// All that was seen below a folder.
    func known(below path: RemotePath) -> [RemotePath] { known.withLock { $0.below(path) } }

    private func page(
        _ part: (entries: ArraySlice<Listings.Entry>, next: PageToken?), of path: RemotePath
    ) throws(DocumentError) -> ItemPage {
        var page = ItemPage(items: [], next: part.next)
        for entry in part.entries {
            page.items.append(try entry.properties.item(at: path.appending(entry.name), capabilities))
        }
        return page
    }

    /// How often a folder that misses something is looked at once more.
    private static let secondLooks = 2

    private func list(_ path: RemotePath) async throws -> [Listings.Entry] {
        var listing: ServerLink.Listing
        do {
            listing = try await self.listing(of: path)
            // What somebody else is changing is out of sight for a moment.
            for _ in 0..<Self.secondLooks {
                guard hasGaps, !missing(listing, in: path).isEmpty else { break }
                try await timing.pause(timing.gap)
                listing = listing.seenAgain(as: try await link.list(path))
            }
            await sweep(listing, in: path)
            let hidden = try await hidden(missing(listing, in: path), in: path, &listing)
            known.withLock { $0.saw(listing.entries, hidden: hidden, in: path) }
        } catch let failure as ServerFailure {
            // Asked for a document as for a folder, every server fails in another way.
            guard case .status(400..<500, _) = failure, try await !link.look(at: path).properties.isFolder else {
                throw failure
            }
            listing = ServerLink.Listing()
        }
        guard listing.isFolder else {
            throw DocumentError(.invalidArgument, "\(path.quoted) is a document, and has nothing in it.")
        }
        // A name that makes the path too long for an identifier is no reason not to list the others.
        let room = path.isRoot ? .max : ItemIdentifier.maximumLength - 1 - (try path.identifier.rawValue.utf8.count)
        let tooDeep = listing.entries.count { $0.name.rawValue.utf8.count > room }
        if tooDeep > 0 {
            listing.entries.removeAll { $0.name.rawValue.utf8.count > room }
            listing.leftOut += Array(repeating: "Its path is too long.", count: tooDeep)
        }
        if !listing.leftOut.isEmpty {
            logger.warning(
                "\(path.quoted): \(listing.leftOut.count) things on the server are not listed here.",
                metadata: ["reasons": "\(Set(listing.leftOut).sorted().prefix(5).joined(separator: " "))"])
        }
        return listing.entries
    }

    func missing(_ listing: ServerLink.Listing, in path: RemotePath) -> Set<RemoteName> {
        known.withLock { $0.missing(listing.entries, in: path) }
    }

    // MARK: Failures

    func path(of id: ItemIdentifier) throws(DocumentError) -> RemotePath {
        guard let path = RemotePath(id) else {
            throw DocumentError(.noSuchItem, "“\(id)” was never an item of this domain.")
        }
        return path
    }

    /// Why something is neither there nor gone.
    static let contradiction = "its answers contradict each other"

    /// Reads something. What is missing for a moment, while somebody changes it, is read once more.
    func patiently<Result: Sendable>(
        _ path: RemotePath, _ what: String, _ body: () async throws -> Result
    ) async throws -> Result {
        for _ in 0..<3 {
            do {
                return try await checked(path, what, body)
            } catch let error as DocumentError where error.causes == [Self.contradiction] && hasGaps {
                try await timing.pause(timing.gap)
            }
        }
        return try await checked(path, what, body)
    }

    /// Does something about an item, and says what went wrong in the host's terms.
    ///
    /// - Parameter what: the beginning of the sentence: “a/b” cannot be read.
    func checked<Result: Sendable>(
        _ path: RemotePath, _ what: String, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let failure as ServerFailure {
            switch failure {
            case .status(404, _), .status(410, _): throw try await absence(of: path, what, failure)
            case .status(400..<600, _) where path.hasLongName:
                if let absence = try await absenceOfLongName(in: path, what) { throw absence }
                throw presented(failure, what)
            case .status(400..<500, _):
                if try await isBelowDocument(path) {
                    throw DocumentError(.noSuchItem, "\(what): it would be in a document, and nothing can be there.")
                }
                throw presented(failure, what)
            default: throw presented(failure, what)
            }
        }
    }

    /// Servers refuse to look for something in a document, each with another status.
    private func isBelowDocument(_ path: RemotePath) async throws -> Bool {
        var next = path.parent
        while let ancestor = next, !ancestor.isRoot {
            do {
                return try await !link.look(at: ancestor).properties.isFolder
            } catch ServerFailure.status(400..<500, _) {
                next = ancestor.parent
            } catch is ServerFailure {
                return false
            }
        }
        return false
    }

    /// Servers that cannot have names of such a length refuse whatever is asked about one, each with another status: whether it is
    /// there, only the folder tells.
    ///
    /// - Returns: nil when every name that long is in its folder, or cannot be looked for.
    private func absenceOfLongName(in path: RemotePath, _ what: String) async throws -> DocumentError? {
        for (depth, name) in path.names.enumerated() where name.isLong {
            let folder = RemotePath(names: Array(path.names[..<depth]))
            do {
                guard try await !link.list(folder).entries.contains(where: { $0.name == name }) else { continue }
                // Somebody may have it out of sight.
                if hasGaps, try await isClaimed(folder.appending(name)) {
                    return presented(.interrupted(Self.contradiction), what)
                }
                return DocumentError(.noSuchItem, "\(what): it is not there.")
            } catch let failure as ServerFailure {
                guard case .status(400..<500, _) = failure else { return nil }
                if try await isBelowDocument(folder.appending(name)) {
                    return DocumentError(.noSuchItem, "\(what): it would be in a document, and nothing can be there.")
                }
                guard [.status(404, retryAfter: nil), .status(410, retryAfter: nil)].contains(failure) else {
                    return nil
                }
                return try await absence(of: folder, what, failure)
            }
        }
        return nil
    }

    /// The server says that something is not there. That makes the host forget it, so it takes more than one answer:
    /// the top folder has to be there, and the item has to be missing still (PROV-22).
    private func absence(of path: RemotePath, _ what: String, _ failure: ServerFailure) async throws -> DocumentError {
        do {
            guard try await link.look(at: .root).properties.isFolder else {
                return presented(.unusable("the address is not that of a folder"), what)
            }
        } catch let rootFailure as ServerFailure {
            guard case .status(404, _) = rootFailure else { return presented(rootFailure, what) }
            return presented(.unreachable("the folder of the domain is not on the server"), what)
        }
        guard !path.isRoot else { return presented(.interrupted(Self.contradiction), what) }
        do {
            if hasGaps, try await mayBeBetweenPlaces(path) { try await timing.pause(timing.gap) }
            // However long somebody has it out of sight. Only a look after the claim was looked for counts: before that, it
            // may have been put back.
            if hasGaps, try await isClaimed(path) { return presented(.interrupted(Self.contradiction), what) }
            _ = try await link.look(at: path)
            return presented(.interrupted(Self.contradiction), what)
        } catch let second as ServerFailure {
            return presented(second == failure ? failure : second, what)
        }
    }

    /// Whether a document may be out of sight for a moment, because somebody changes it. Whatever the server guarantees: where
    /// contents are written under conditions, too, what is renamed or removed is first taken away.
    var hasGaps: Bool { gate != nil }

    /// Whether somebody is changing it, or moves a folder around it. Looked at again after that it is back where nobody has a
    /// claim.
    private func mayBeBetweenPlaces(_ path: RemotePath) async throws -> Bool {
        if try await isClaimed(path) { return true }
        guard let folder = path.parent, !folder.isRoot else { return false }
        return try await link.lookIfThere(folder) == nil
    }

    private func isClaimed(_ path: RemotePath) async throws -> Bool {
        switch try await claimant(on: path) {
        case .nobody: false
        case .oneself, .somebody, .stranger, .ended: true
        }
    }

    /// Who has a claim beside it, as for as long as it is out of sight for a change. A change whose owner is gone is ended: nobody
    /// may ever list the folder.
    func claimant(on path: RemotePath) async throws -> ClaimTakeOver.Holder {
        guard !path.isRoot else { return .nobody }
        let claim = try ClaimNames.claim(on: path)
        guard let gate, gate.capabilities != .readOnly else {
            return try await link.lookIfThere(claim) == nil ? .nobody : .somebody
        }
        return try await ClaimTakeOver(link: link, watch: claims, logger: logger, claim: claim).look()
    }

    /// Also begins to look for the server when it is gone.
    private func presented(_ failure: ServerFailure, _ what: String) -> DocumentError {
        let error = failure.error(what, link.address)
        if error.code == .serverUnreachable {
            lookout.begin { [link] in
                do {
                    return try await link.look(at: .root, retrying: RetryPlan.Limits(attempts: 1)).properties.isFolder
                } catch ServerFailure.signIn {
                    // It is there, and says so itself.
                    return true
                } catch {
                    return false
                }
            } found: { [signalReachable] in
                signalReachable()
            }
        }
        return error
    }
}
