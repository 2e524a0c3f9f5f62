internal import DocumentModel
internal import DocumentProvider
internal import Logging
internal import Synchronization

/// The feed of changes, on servers that tell of all that is below a folder (RFC 6578), and listings that are brought up to
/// date on those that tell of each folder.
extension WebDAVDomain {
    /// More removals than this are not looked at one after the other: listing again is better.
    private static let mostLooks = 256
    /// Of so many in one folder the folder is listed instead.
    private static let mostLooksInFolder = 8
    /// Answers about one folder, each of which says that there is more.
    private static let mostRounds = 50
    private static let what = "The changes on the server cannot be asked for"

    /// - Throws: `unimplemented` where the server tells of no changes, so that folders have to be listed.
    func currentAnchor() async throws -> SyncAnchor {
        try await patiently(.root, Self.what) {
            guard try await feed.extent() == .everything, let token = try await link.syncToken(of: .root) else {
                news.pause()
                throw DocumentError(
                    .unimplemented, "“\(link.address.origin)” does not tell of changes; list its folders instead.")
            }
            watch(since: token, isNews: false)
            return try FeedAnchor(token: token).anchor(of: link.address, for: link.user)
        }
    }

    /// - Throws: `anchorExpired` also where the server tells of no changes any more.
    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        let count = min(max(suggestedCount, 1), 10_000)
        guard let point = FeedAnchor(anchor, of: link.address, for: link.user) else { throw expired }
        return try await patiently(.root, Self.what) {
            guard try await feed.extent() == .everything else { throw expired }
            switch try await link.changes(since: point.token, in: .root, isDeep: true, count: count) {
            case .told(let report):
                // It goes on from there only when all of it could be read.
                guard !report.isUnusable else { throw expired }
                // A server that says that there is more, where it was asked from, has no more to say.
                let isStanding = report.isTruncated && report.token == point.token
                guard !report.isShallow, !isStanding, report.changes.count <= 100 * count,
                    let next = try? FeedAnchor(token: report.token).anchor(of: link.address, for: link.user),
                    var changes = try await items(of: report)
                else {
                    endFeed()
                    throw expired
                }
                (changes.anchor, changes.more) = (next, report.isTruncated)
                if !changes.more {
                    watch(since: report.token, isNews: !changes.updated.isEmpty || !changes.deleted.isEmpty)
                }
                guard changes.updated.count + changes.deleted.count <= 100 * count else { throw expired }
                return changes
            case .expired, .tooMuch: throw expired
            case .refused:
                // It says that it can, and does not: that is found out before the next anchor.
                logger.notice("The server does not tell what has changed, though it has told it before.")
                endFeed()
                throw expired
            }
        }
    }

    private var expired: DocumentError {
        DocumentError(.anchorExpired, "The server's changes do not reach back that far; list everything again.")
    }

    /// What was found out about the server is not so any more.
    private func endFeed() {
        feed.forget()
        news.pause()
    }

    private func watch(since token: String, isNews: Bool) {
        news.told(token, isNews: isNews) { [link] in
            try await link.syncToken(of: .root, retrying: RetryPlan.Limits(attempts: 1))
        } isOver: {
            // What was refused is not tried again by itself: somebody's account may be locked for less.
            if case ServerFailure.signIn? = $0 as? ServerFailure { true } else { false }
        } found: { [signalChanges] in
            signalChanges()
        }
    }

    /// - Returns: nil when it is too much to make sure of.
    private func items(of report: ChangeReport) async throws -> ItemChanges? {
        var changed: [RemotePath: Properties] = [:]
        var gone: Set<RemotePath> = []
        for (path, properties) in report.changes {
            if let properties { changed[path] = properties } else { gone.insert(path) }
        }
        // What is in a folder that is gone is gone with it.
        let tops = gone.filter { path in
            !(0..<path.names.count).contains { gone.contains(RemotePath(names: Array(path.names.prefix($0)))) }
        }
        guard let there = try await stillThere(tops) else { return nil }
        for (path, properties) in there { changed[path] = properties }
        gone = gone.filter { path in
            (1...max(path.names.count, 1)).allSatisfy { there[RemotePath(names: Array(path.names.prefix($0)))] == nil }
        }
        for top in tops where there[top] == nil {
            gone.formUnion(known(below: top).filter { changed[$0] == nil })
            forget(top)
        }
        var changes = ItemChanges(updated: [], deleted: [], anchor: try SyncAnchor([0]))
        // Folders before what is in them.
        for (path, properties) in changed.sorted(by: { $0.key.names.count < $1.key.names.count }) {
            // A path that is too long for an identifier is no reason not to tell the others.
            guard (try? path.identifier) != nil else { continue }
            changes.updated.append(try properties.item(at: path, capabilities))
        }
        changes.deleted = gone.compactMap { try? $0.identifier }
        if report.strangers > 0 {
            logger.warning("Of \(report.strangers) changes on the server nothing can be known here.")
        }
        return changes
    }

    /// That something is gone is not believed at once (PROV-22): what somebody else changes is out of sight for a moment, and
    /// then for as long as there is a claim on it.
    ///
    /// - Returns: what is there after all; nil when there is too much to look at.
    /// - Throws: `busy` while somebody changes something of it. The server does not tell of that once more when it is gone in the
    ///   end, so nothing is told of these changes until then.
    private func stillThere(_ paths: Set<RemotePath>) async throws -> [RemotePath: Properties]? {
        guard !paths.isEmpty else { return [:] }
        let folders = Dictionary(grouping: paths) { $0.parent ?? .root }
        guard folders.values.reduce(0, { $0 + min($1.count, Self.mostLooksInFolder) }) <= Self.mostLooks else {
            return nil
        }
        if hasGaps { try await link.timing.pause(link.timing.gap) }
        return try await withThrowingTaskGroup(of: [RemotePath: Properties].self) { group in
            for (folder, paths) in folders {
                if paths.count > Self.mostLooksInFolder {
                    group.addTask { [self] in try await stillThere(paths, in: folder) }
                } else {
                    for path in paths {
                        group.addTask { [self] in try await stillThere(path).map { [path: $0] } ?? [:] }
                    }
                }
            }
            return try await group.reduce(into: [:]) { there, found in there.merge(found) { $1 } }
        }
    }

    private func stillThere(_ path: RemotePath) async throws -> Properties? {
        if let look = try await link.lookIfThere(path) { return look.properties }
        guard hasGaps else { return nil }
        switch try await claimant(on: path) {
        case .nobody: break
        case .oneself, .somebody, .ended: throw ServerFailure.interrupted(Self.contradiction)
        // Nobody here can end that: listings do without it.
        case .stranger: throw expired
        }
        // It may have been put back before the claim was looked for.
        return try await link.lookIfThere(path)?.properties
    }

    /// The same for many in one folder, which is listed for it.
    private func stillThere(_ paths: [RemotePath], in folder: RemotePath) async throws -> [RemotePath: Properties] {
        var there: [RemotePath: Properties] = [:]
        var missing = Set(paths)
        var claims: Set<RemoteName> = []
        // Once more for what was moved from place to place meanwhile.
        for _ in 0..<(hasGaps ? 2 : 1) where !missing.isEmpty {
            for entry in try await link.entries(of: folder) ?? [] {
                let path = folder.appending(entry.name)
                if missing.remove(path) != nil { there[path] = entry.properties }
                if OwnNames.isClaim(entry.name) { claims.insert(entry.name) }
            }
        }
        guard hasGaps, !missing.isEmpty else { return there }
        // Where claims are not listed, each would have to be looked for.
        guard try await dotNames.outcome() else { throw expired }
        for path in missing {
            guard let name = path.name, claims.contains(try OwnNames.claim(on: name)) else { continue }
            there[path] = try await stillThere(path)
        }
        return there
    }

    // MARK: Listings

    /// A folder and what is in it; as short as what has changed in it where the server tells that of folders.
    func listing(of path: RemotePath) async throws -> ServerLink.Listing {
        guard feed.known == .folders else { return try await link.list(path) }
        if let listing = try await updatedListing(of: path) { return listing }
        // Before the listing: what changes meanwhile is told once more.
        let token = try await tokenIfTold(of: path)
        let listing = try await link.list(path)
        if let token, listing.isFolder, listing.leftOut.isEmpty {
            let entries = Dictionary(listing.entries.map { ($0.name, $0.properties) }) { $1 }
            kept.withLock { $0.keep(.init(token: token, entries: entries, listed: link.timing.now()), of: path) }
        }
        return listing
    }

    /// - Returns: nil also when asking for it fails, so that listing has to do, or fails by itself.
    private func tokenIfTold(of path: RemotePath) async throws -> String? {
        do {
            return try await link.syncToken(of: path)
        } catch let failure as ServerFailure {
            switch failure {
            case .signIn, .unreachable, .untrusted, .misnamed: throw failure
            case .status, .interrupted, .damaged, .unusable, .redirect: return nil
            }
        }
    }

    /// - Returns: nil when the folder has to be listed.
    private func updatedListing(of path: RemotePath) async throws -> ServerLink.Listing? {
        guard var folder = kept.withLock({ $0.folder(path) }),
            link.timing.now() - folder.listed < link.timing.keptListing
        else { return nil }
        var seen: Set<String> = []
        while seen.count < Self.mostRounds, seen.insert(folder.token).inserted {
            // What is said to be gone is believed when it is not in a listing (PROV-22).
            guard let report = try await told(of: path, since: folder.token), !report.isUnusable,
                !report.tellsRemovals
            else { break }
            folder.take(report)
            if report.isTruncated { continue }
            kept.withLock { $0.keep(folder, of: path) }
            return ServerLink.Listing(isFolder: true, entries: folder.sorted, leftOut: [])
        }
        kept.withLock { $0.forget(path) }
        return nil
    }

    /// What has changed in a folder; nil when the server does not tell it just now, for whatever reason.
    private func told(of path: RemotePath, since token: String) async throws -> ChangeReport? {
        do {
            guard
                case .told(let report) = try await link.changes(since: token, in: path, isDeep: false, count: nil)
            else { return nil }
            return report
        } catch let failure as ServerFailure {
            switch failure {
            case .unreachable, .untrusted, .misnamed: throw failure
            case .signIn, .status, .interrupted, .damaged, .unusable, .redirect: return nil
            }
        }
    }
}
