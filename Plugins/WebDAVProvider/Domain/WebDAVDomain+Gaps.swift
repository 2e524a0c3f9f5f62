internal import DocumentModel
internal import Logging

/// Documents that are out of sight because of a change.
extension WebDAVDomain {
    /// So many claims are looked at with one listing.
    private static let mostClaims = 16

    /// Ends the changes in a folder whose owners are gone, so that what they have taken away is seen again, also when nobody
    /// ever changes it.
    ///
    /// - Parameters:
    ///   - missing: what is not in the listing any more.
    ///   - listing: of the folder; read anew when something was ended.
    /// - Returns: what is missing because somebody changes it.
    func hidden(
        _ missing: Set<RemoteName>, in folder: RemotePath, _ listing: inout ServerLink.Listing
    ) async throws -> Set<RemoteName> {
        guard let gate, gate.capabilities != .readOnly else { return [] }
        var claims: [RemoteName: RemoteName?] = [:]
        for claim in listing.claims { claims[claim] = .some(nil) }
        // Some servers do not list claims.
        for name in missing { claims[try OwnNames.claim(on: name)] = name }
        var hidden: Set<RemoteName> = []
        var hasEnded = false
        // All get their turn, also behind those that nobody here can end.
        let turn = self.claims.turn(of: claims.keys.sorted(), in: folder, count: Self.mostClaims)
        // What is not looked at yet is not known to be gone.
        for claim in Set(claims.keys).subtracting(turn) {
            if let name = claims[claim] ?? nil { hidden.insert(name) }
        }
        for claim in turn {
            let name = claims[claim] ?? nil
            let takeOver = ClaimTakeOver(
                link: link, watch: self.claims, logger: logger, claim: folder.appending(claim),
                isRest: OwnNames.isRest(claim))
            do {
                switch try await takeOver.look() {
                case .nobody, .oneself: break
                case .somebody, .stranger: if let name { hidden.insert(name) }
                case .ended: hasEnded = true
                }
            } catch let failure as ServerFailure {
                // To list a folder is possible all the same.
                logger.notice("A claim could not be looked at.", metadata: ["cause": "\(failure)"])
                if let name { hidden.insert(name) }
            }
        }
        if hasEnded { listing = listing.seenAgain(as: try await link.list(folder)) }
        return hidden
    }

    /// Removes what was staged in a folder for a change that nobody makes any more, and what is empty of documents where a claim
    /// ended.
    func sweep(_ listing: ServerLink.Listing, in folder: RemotePath) async {
        guard let gate, gate.capabilities != .readOnly else { return }
        // Some stay, for what is in them: the others get their turn all the same.
        for name in claims.turn(
            of: listing.leftovers.sorted(), in: folder, count: Self.mostClaims, for: .removing)
        {
            if OwnNames.isRest(name) {
                let rest = ClaimTakeOver(
                    link: link, watch: claims, logger: logger, claim: folder.appending(name), isRest: true)
                guard (try? await rest.isSpent()) == true else { continue }
            }
            logger.notice(
                "What a change left long ago is removed.", metadata: ["folder": "\(folder.appending(name).quoted)"])
            _ = try? await link.remove(folder.appending(name), asFolder: true)
        }
    }
}

extension ServerLink.Listing {
    /// Both of two: what was moved from place to place between them may be in one only.
    func seenAgain(as second: Self) -> Self {
        var both = second
        let names = Set(second.entries.map(\.name))
        both.entries = (second.entries + entries.filter { !names.contains($0.name) }).sorted { $0.name < $1.name }
        return both
    }
}
