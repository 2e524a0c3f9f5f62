internal import AsyncHTTPClient
internal import DocumentModel
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// How a claim is ended whose owner is gone, so that its document is found at every moment: also when whoever ends it goes, too.
extension ClaimTakeOver {
    /// No note is longer.
    private static let mostBytes = 1 << 16

    /// What was taken away gets its place again while the claim is there still, which whoever misses it finds. Its owner may be
    /// slow, and another one may be ending it as well: the change's own folder, through which all of it goes, gets a name first
    /// that nobody else knows, and that only one of many can give it.
    func end(_ holders: [Listings.Entry]) async throws {
        guard !isRest else {
            guard try await !bringOut(holders), try await putBack(in: claim) else { return }
            _ = try await link.remove(claim, asFolder: true)
            return
        }
        guard let folder = claim.parent else { return }
        var held: [RemoteName] = []
        do {
            for holder in holders {
                guard let key = try await takeHold(of: holder) else { return }
                held.append(key)
            }
            guard try await putBack(in: claim) else { return }
            let rest = try ClaimNames.rest(in: folder, link.timing.mark())
            let answer = try await link.move(claim, to: rest, asFolder: true)
            // What lies in there now may be somebody's who has come meanwhile.
            guard try await putBack(in: rest), answer.isSuccess else { return }
            _ = try await link.remove(rest, asFolder: true)
        } catch {
            // Nobody else goes on with it.
            for key in held { watch.ends(key, isClean: false) }
            throw error
        }
    }

    /// Somebody's claim that has ended with another change gets a place of its own beside that, where whoever looks after what
    /// the ends of claims have left finds it.
    ///
    /// - Returns: whether there was one: whoever put it there may be about to put it back.
    private func bringOut(_ holders: [Listings.Entry]) async throws -> Bool {
        guard let folder = claim.parent else { return false }
        var wasThere = false
        for holder in holders where holder.properties.isFolder {
            let own = claim.appending(holder.name)
            guard try await holdsOthers(own, try await parts(of: own)) else { continue }
            wasThere = true
            let rest = try ClaimNames.rest(in: folder, link.timing.mark())
            _ = try await link.move(own.appending(ClaimNames.spent), to: rest, asFolder: true)
        }
        return wasThere
    }

    /// - Returns: its name from now on; nil when somebody else has ended it, or ends it just now.
    private func takeHold(of holder: Listings.Entry) async throws -> RemoteName? {
        let key = try OwnNames.key(of: "", or: link.timing.mark())
        let (from, to) = (claim.appending(holder.name), claim.appending(key))
        let answer = try await link.move(from, to: to, asFolder: holder.properties.isFolder)
        if try await link.lookIfThere(to) != nil { return key }
        guard try await link.lookIfThere(from) == nil else { throw answer.failure }
        return nil
    }

    /// What was taken away and not replaced gets its place again, unless it was decided that it is removed.
    ///
    /// - Returns: false when nobody here knows of something where it was.
    private func putBack(in place: RemotePath) async throws -> Bool {
        for holder in try await link.entries(of: place) ?? [] where holder.properties.isFolder {
            let own = place.appending(holder.name)
            let parts = try await parts(of: own)
            guard parts.contains(ClaimNames.old) else { continue }
            guard let note = try await note(of: own), let home = try await home(of: note) else {
                logger.warning("What lies in \(own.quoted) is of a change that is not known; it is left there.")
                return false
            }
            // New contents that are not there any more have their place.
            if note.kind == .put, !parts.contains(ClaimNames.new) { continue }
            try await link.restore(own.appending(ClaimNames.old), to: home, logger)
        }
        return true
    }

    /// Where what was taken away goes back to: where it was; or beside the claim when its folder is not there any more, as one
    /// that somebody has renamed with the claim in it. Nil when that is not known.
    func home(of note: ClaimNote?) async throws -> RemotePath? {
        guard let note, let source = note.source, let folder = source.parent, let name = source.name else { return nil }
        if let there = try await link.lookIfThere(folder) { return there.properties.isFolder ? source : nil }
        // With another address of the same folder, a place can seem to be one of this domain's, and never have been there.
        return note.isOfThisAddress ? claim.parent?.appending(name) : nil
    }

    func parts(of own: RemotePath) async throws -> Set<RemoteName> {
        Set((try await link.entries(of: own) ?? []).map(\.name))
    }

    func note(of own: RemotePath) async throws -> ClaimNote? { try await note(at: own.appending(ClaimNames.note)) }

    /// The note of a change that reserves a name, in the claim on that; nil for what is none.
    func leading(_ entry: Listings.Entry) async throws -> ClaimNote? {
        guard !entry.properties.isFolder, OwnNames.isKey(entry.name), entry.properties.length ?? 0 < Self.mostBytes
        else { return nil }
        return try await note(at: claim.appending(entry.name))
    }

    private func note(at path: RemotePath) async throws -> ClaimNote? {
        let request = ServerRequest(method: .GET, path: path)
        do {
            return try await link.ask(request, accepting: [200], retrying: link.timing.retrying) { answer in
                var text: [UInt8] = []
                for try await part in answer.body where text.count < Self.mostBytes { text += part.readableBytesView }
                return ClaimNote(text: String(decoding: text, as: UTF8.self), link.address)
            }
        } catch ServerFailure.status(404, _) {
            return nil
        }
    }
}
