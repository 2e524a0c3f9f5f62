internal import DocumentModel

/// Documents that somebody has taken away to change them, and what becomes of the folders around them.
extension WebDAVDomain {
    /// So many folders are looked into before one is removed with all that is in it.
    private static let mostFolders = 100

    /// What is taken away in a folder goes with it when that is moved, and its owner does not find it there: mostly it is back
    /// in a moment.
    ///
    /// - Throws: `busy` when that takes too long.
    func waitUntilMovable(_ folder: RemotePath) async throws {
        let began = link.timing.now()
        while try await isAboutToChange(folder) {
            guard link.timing.now() - began < link.timing.patience else { throw Self.beingChanged(folder) }
            try await link.timing.pause(link.timing.gap)
        }
    }

    /// Whether somebody may be about to put something back there.
    private func isAboutToChange(_ folder: RemotePath) async throws -> Bool {
        for claim in try await holdingClaims(in: folder, once: folder, isDeep: false) {
            switch try await claim.look() {
            case .nobody, .oneself, .ended, .stranger: break
            case .somebody: return true
            }
        }
        return false
    }

    /// What is taken away is in no listing, so nobody who removes a folder with all that is in it can have meant that.
    ///
    /// - Throws: `busy` while there is something, and when it has got its place again just now.
    func requireRemovable(_ folder: RemotePath) async throws {
        for claim in try await holdingClaims(in: folder, once: folder, isDeep: true) {
            switch try await claim.look() {
            case .nobody, .oneself: break
            case .somebody, .ended: throw Self.beingChanged(folder)
            case .stranger:
                throw DocumentError(
                    .directoryNotEmpty,
                    "In \(folder.quoted) is a document that somebody took away to change it, under another address of the server; look for it there."
                )
            }
        }
    }

    /// The same for a folder that is out of sight already.
    func requireRemovable(_ rest: RemotePath, once folder: RemotePath) async throws {
        guard try await holdingClaims(in: rest, once: folder, isDeep: true).isEmpty else {
            throw Self.beingChanged(folder)
        }
    }

    /// - Parameters:
    ///   - path: where the folder was when things in it were last seen.
    ///   - isDeep: also below it, as far as few listings tell.
    /// - Returns: the claims, and what the ends of claims have left, with a document in them, or on its way to their name.
    private func holdingClaims(
        in place: RemotePath, once path: RemotePath, isDeep: Bool
    ) async throws -> [ClaimTakeOver] {
        var holding: [ClaimTakeOver] = []
        var below: [[RemoteName]] = [[]]
        var next = 0
        while next < min(below.count, Self.mostFolders) {
            let names = below[next]
            next += 1
            let folder = RemotePath(names: place.names + names)
            let listing: ServerLink.Listing
            do {
                listing = try await link.list(folder)
            } catch ServerFailure.status(let code, _) where [403, 404, 409, 410].contains(code) {
                // Gone, or nobody's business. What could not be seen for another reason is not free of claims.
                continue
            }
            var claims = Set(listing.claims)
            // Some servers do not list claims.
            for name in missing(listing, in: RemotePath(names: path.names + names)) {
                claims.insert(try OwnNames.claim(on: name))
            }
            for claim in claims.sorted() {
                let takeOver = ClaimTakeOver(
                    link: link, watch: self.claims, logger: logger, claim: folder.appending(claim),
                    isRest: OwnNames.isRest(claim))
                if try await takeOver.holdsDocuments() { holding.append(takeOver) }
            }
            guard isDeep else { break }
            below += listing.entries.filter(\.properties.isFolder).map { names + [$0.name] }
        }
        return holding
    }

    private static func beingChanged(_ folder: RemotePath) -> DocumentError {
        DocumentError(
            .busy, "A document in \(folder.quoted) is being changed by somebody else; try again in a moment.")
    }
}
