internal import DocumentModel
internal import Synchronization

/// How far a server tells of changes, found out when it is first asked, by asking (RS-1).
final class FeedFinder: Sendable {
    enum Extent: Hashable, Sendable {
        case none
        /// Of each folder by itself: a folder that was listed is brought up to date.
        case folders
        /// Of all that is below the top folder: a feed.
        case everything
    }

    private let link: ServerLink
    /// Whether something may be made on the server for a moment.
    private let mayTry: @Sendable () -> Bool
    private let found = Mutex<Extent?>(nil)

    init(_ link: ServerLink, mayTry: @escaping @Sendable () -> Bool) {
        self.link = link
        self.mayTry = mayTry
    }

    /// Nil while it was not found out.
    var known: Extent? { found.withLock { $0 } }

    /// What was found is not so any more.
    func forget() { found.withLock { $0 = nil } }

    /// - Throws: `ServerFailure` when the server cannot be asked anything.
    func extent() async throws -> Extent {
        if let known { return known }
        let extent = try await find()
        found.withLock { $0 = extent }
        return extent
    }

    private func find() async throws -> Extent {
        guard let token = try await link.syncToken(of: .root) else { return .none }
        do {
            return try await extent(since: token)
        } catch let failure as ServerFailure {
            switch failure {
            case .unreachable, .untrusted, .misnamed: throw failure
            case .signIn:
                // That may be about questions of this kind alone.
                _ = try await link.look(at: .root)
                return .none
            // Whatever it says: it does not tell, and folders can be listed.
            case .status, .interrupted, .damaged, .unusable, .redirect: return .none
            }
        }
    }

    private func extent(since token: String) async throws -> Extent {
        let isFit = (try? FeedAnchor(token: token).anchor(of: link.address, for: link.user)) != nil
        if isFit, try await tellsEverything(since: token) {
            return .everything
        }
        guard case .told = try await link.changes(since: token, in: .root, isDeep: false, count: nil) else {
            return .none
        }
        return .folders
    }

    /// Some servers are asked for all that is below a folder, and tell of what is in it: changes would be missed for ever. So
    /// it is tried with a folder in a folder.
    private func tellsEverything(since token: String) async throws -> Bool {
        guard case .told(let report) = try await link.changes(since: token, in: .root, isDeep: true, count: nil),
            !report.isShallow, mayTry()
        else { return false }
        let outer = try Probe.newFolder(on: link)
        switch try await link.makeFolder(outer) {
        case .status(let status, _) where !(200..<300).contains(status): return false
        case .status: break
        case .unknown:
            // It may be there all the same.
            await Probe.clear(outer, on: link)
            return false
        }
        do {
            let isDeep = try await tellsOfFolder(in: outer)
            await Probe.clear(outer, on: link)
            return isDeep
        } catch {
            await Probe.clear(outer, on: link)
            throw error
        }
    }

    private func tellsOfFolder(in outer: RemotePath) async throws -> Bool {
        // The outer folder is not news any more.
        guard let token = try await link.syncToken(of: .root),
            try await link.makeFolder(outer.appending(try RemoteName("inner"))).isSuccess,
            case .told(let report) = try await link.changes(since: token, in: .root, isDeep: true, count: nil)
        else { return false }
        return report.depth >= 2
    }
}
