internal import DocumentModel
internal import Logging

/// Looks at a claim on a document, and ends it when its owner is gone; or at what the end of a claim has left, where that was
/// broken off.
struct ClaimTakeOver: Sendable {
    enum Holder: Sendable {
        case nobody
        /// Who looks.
        case oneself
        case somebody
        /// Somebody who is gone, with a document of which nobody here knows where it was.
        case stranger
        /// Somebody had it, and has it no more.
        case ended
    }

    let link: ServerLink
    let watch: ClaimWatch
    let logger: Logger
    /// The claim; or, with `isRest`, where one was moved to be ended.
    let claim: RemotePath
    var isRest = false
    /// Whether what reserves a name leads to the claim that it belongs to.
    var isFollowing = true

    /// - Parameter key: of the change that wants the claim, if there is one.
    /// - Returns: who has it.
    func look(for key: RemoteName? = nil) async throws -> Holder {
        guard let entries = try await link.entries(of: claim) else {
            watch.forget(claim)
            return .nobody
        }
        if let key, entries.contains(where: { $0.name == key }) { return .oneself }
        // An empty one is left where an answer was lost.
        if isRest, try await !isUnfinished(entries) { return .nobody }
        // Who gets on, or has taken it anew, is there.
        let holder = entries.map { "\($0.name.rawValue) \($0.properties.modified ?? 0)" }.joined(separator: " ")
        let isOver = entries.contains { watch.isLeftBehind($0.name) }
        guard watch.saw(claim, heldBy: holder, at: link.timing.now()) >= link.timing.abandoned || isOver else {
            return .somebody
        }
        // Nobody else knows where a document of a change lies that is of another address of this folder.
        guard try await isUnderstood(entries) else {
            logger.notice("A change that is not understood is left alone.", metadata: ["claim": "\(claim.quoted)"])
            return .stranger
        }
        if isFollowing, let owner = try await owner(behind: entries) { return owner }
        logger.notice("A change whose owner is gone is ended.", metadata: ["claim": "\(claim.quoted)"])
        // What was begun is ended, also when nobody waits for it any more.
        try await Task(executorPreference: link.timing.executor) { try await end(entries) }.value
        watch.forget(claim)
        return .ended
    }

    /// Whether there is a document in it, or one is on its way to the name that it is on.
    func holdsDocuments() async throws -> Bool {
        for holder in try await link.entries(of: claim) ?? [] {
            if !holder.properties.isFolder {
                if !isRest { return true }
                continue
            }
            let own = claim.appending(holder.name)
            let parts = try await parts(of: own)
            if parts.contains(ClaimNames.old) { return true }
            if try await holdsOthers(own, parts) { return true }
        }
        return false
    }

    /// Whether what the end of a claim has left is only what Docent itself made for a change: an answer was lost when it was to be
    /// removed.
    func isSpent() async throws -> Bool {
        guard let entries = try await link.entries(of: claim) else { return false }
        for entry in entries {
            guard entry.properties.isFolder else {
                guard try await leading(entry) != nil else { return false }
                continue
            }
            let own = claim.appending(entry.name)
            let parts = try await parts(of: own)
            let made = [ClaimNames.new, ClaimNames.gone, ClaimNames.place, ClaimNames.spent, ClaimNames.note]
            guard parts.isSubset(of: made) else { return false }
            if try await holdsOthers(own, parts) { return false }
            // A folder that is on its way to be removed lies there under such a name, too, and may have anything in it.
            if !parts.isEmpty, try await note(of: own) == nil { return false }
        }
        return true
    }

    /// Whether what has ended with a change, as the claim on its other name, is the claim of somebody who had come meanwhile, and
    /// perhaps has a document in it.
    func holdsOthers(_ own: RemotePath, _ parts: Set<RemoteName>) async throws -> Bool {
        guard parts.contains(ClaimNames.spent) else { return false }
        let entries = try await link.entries(of: own.appending(ClaimNames.spent)) ?? []
        return entries.contains { $0.properties.isFolder || !OwnNames.isKey($0.name) }
    }

    /// Whether something in it gets its place again, or a removal was decided and has not gone on.
    private func isUnfinished(_ holders: [Listings.Entry]) async throws -> Bool {
        for holder in holders where holder.properties.isFolder {
            let own = claim.appending(holder.name)
            let parts = try await parts(of: own)
            if parts.contains(ClaimNames.old) { return true }
            if try await holdsOthers(own, parts) { return true }
            if parts.contains(ClaimNames.gone), try await note(of: own)?.kind == .remove { return true }
        }
        return false
    }

    private func isUnderstood(_ holders: [Listings.Entry]) async throws -> Bool {
        for holder in holders {
            guard holder.properties.isFolder else {
                if isRest, try await leading(holder) == nil { return false }
                continue
            }
            let own = claim.appending(holder.name)
            let parts = try await parts(of: own)
            if parts.contains(ClaimNames.old) {
                guard try await home(of: try await note(of: own)) != nil else { return false }
            } else if isRest, !parts.isEmpty {
                // All of a rest goes in the end: a folder that somebody is about to remove is none of a change.
                guard try await note(of: own) != nil else { return false }
            }
        }
        return true
    }

    /// Who has the claim that this one only reserves another name for. That one is ended first: while it is there, its owner may
    /// go on at any moment, and use the name.
    ///
    /// - Returns: nil when it is there no more.
    private func owner(behind holders: [Listings.Entry]) async throws -> Holder? {
        for holder in holders {
            guard let source = try await leading(holder)?.source, !source.isRoot else { continue }
            let origin = try ClaimNames.claim(on: source)
            guard origin != claim,
                try await link.lookIfThere(origin.appending(holder.name))?.properties.isFolder == true
            else { continue }
            let takeOver = ClaimTakeOver(link: link, watch: watch, logger: logger, claim: origin, isFollowing: false)
            let other = try await takeOver.look()
            switch other {
            case .nobody, .ended: break
            case .oneself, .somebody, .stranger: return other
            }
        }
        return nil
    }
}
