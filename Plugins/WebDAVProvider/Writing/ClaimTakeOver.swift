internal import AsyncHTTPClient
internal import DocumentModel
internal import Logging
internal import NIOCore
internal import NIOHTTP1

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

    /// - Parameter key: of the change that wants the claim, if there is one.
    /// - Returns: who has it.
    func look(for key: RemoteName? = nil) async throws -> Holder {
        guard let entries = try await link.entries(of: claim) else {
            watch.forget(claim)
            return .nobody
        }
        if let key, entries.contains(where: { $0.name == key }) { return .oneself }
        // An empty one is left where an answer was lost.
        if isRest, try await !holdsDocuments(entries) { return .nobody }
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
        logger.notice("A change whose owner is gone is undone.", metadata: ["claim": "\(claim.quoted)"])
        // What was begun is ended, also when nobody waits for it any more.
        try await Task(executorPreference: link.timing.executor) { try await end() }.value
        watch.forget(claim)
        return .ended
    }

    /// Whether there is a document in it.
    func holdsDocuments() async throws -> Bool {
        guard let entries = try await link.entries(of: claim) else { return false }
        return try await holdsDocuments(entries)
    }

    /// Whether what the end of a claim has left is only what Docent itself made for a change: an answer was lost when it was to be
    /// removed.
    func isSpent() async throws -> Bool {
        guard let entries = try await link.entries(of: claim) else { return false }
        for entry in entries {
            guard entry.properties.isFolder else { return false }
            let own = claim.appending(entry.name)
            let parts = try await parts(of: own)
            guard parts.isSubset(of: [ClaimNames.new, ClaimNames.note]) else { return false }
            // A folder that is on its way to be removed lies there under such a name, too, and may have anything in it.
            if !parts.isEmpty, try await note(in: own) == nil { return false }
        }
        return true
    }

    private func holdsDocuments(_ holders: [Listings.Entry]) async throws -> Bool {
        for holder in holders where holder.properties.isFolder {
            if try await parts(of: claim.appending(holder.name)).contains(ClaimNames.old) { return true }
        }
        return false
    }

    private func isUnderstood(_ holders: [Listings.Entry]) async throws -> Bool {
        for holder in holders where holder.properties.isFolder {
            let own = claim.appending(holder.name)
            guard try await parts(of: own).contains(ClaimNames.old) else { continue }
            guard try await home(of: try await note(in: own)) != nil else { return false }
        }
        return true
    }

    /// Where what was taken away goes back to: where it was; or beside the claim when its folder is not there any more, as one
    /// that somebody has renamed with the claim in it. Nil when that is not known.
    private func home(of note: ClaimNote?) async throws -> RemotePath? {
        guard let note, let source = note.source, let folder = source.parent, let name = source.name else { return nil }
        if let there = try await link.lookIfThere(folder) { return there.properties.isFolder ? source : nil }
        // With another address of the same folder, a place can seem to be one of this domain's, and never have been there.
        return note.isOfThisAddress ? claim.parent?.appending(name) : nil
    }

    private func parts(of own: RemotePath) async throws -> Set<RemoteName> {
        Set((try await link.entries(of: own) ?? []).map(\.name))
    }

    private func end() async throws {
        guard !isRest else { return try await settle(claim, isCertain: true) }
        guard let folder = claim.parent else { return }
        let rest = try ClaimNames.rest(in: folder, link.timing.mark())
        let answer = try await link.move(claim, to: rest, asFolder: true)
        try await settle(rest, isCertain: answer.isSuccess)
    }

    /// What was taken away and not replaced gets its place again.
    private func settle(_ rest: RemotePath, isCertain: Bool) async throws {
        guard let holders = try await link.entries(of: rest) else { return }
        for holder in holders where holder.properties.isFolder {
            let own = rest.appending(holder.name)
            let parts = try await parts(of: own)
            guard parts.contains(ClaimNames.old) else { continue }
            guard let note = try await note(in: own), let home = try await home(of: note) else {
                logger.warning("What lies in \(own.quoted) is of a change that is not known; it is left there.")
                return
            }
            // New contents that are not there any more have their place.
            if note.kind == .put, !parts.contains(ClaimNames.new) { continue }
            try await link.restore(own.appending(ClaimNames.old), to: home, logger)
        }
        if isCertain { _ = try await link.remove(rest, asFolder: true) }
    }

    private func note(in own: RemotePath) async throws -> ClaimNote? {
        let request = ServerRequest(method: .GET, path: own.appending(ClaimNames.note))
        do {
            return try await link.ask(request, accepting: [200], retrying: link.timing.retrying) { answer in
                var text: [UInt8] = []
                for try await part in answer.body where text.count < 1 << 16 { text += part.readableBytesView }
                return ClaimNote(text: String(decoding: text, as: UTF8.self), link.address)
            }
        } catch ServerFailure.status(404, _) {
            return nil
        }
    }
}
