internal import AsyncHTTPClient
internal import DocumentModel
internal import Logging
internal import NIOCore
internal import NIOHTTP1

/// Gives a claim back, or takes over one whose owner is gone.
///
/// The claim is moved to a name that nothing had before, and only then removed: a request that arrives late, or twice,
/// finds either nothing to move or a name that is taken, and never removes the claim of whoever came next. Where an answer
/// was lost, an empty folder stays behind for that.
struct ClaimEnding {
    let write: ClaimedWrite
    let change: ClaimedWrite.Change
    let names: ClaimNames

    private var link: ServerLink { write.link }

    /// - Parameter puttingBack: what lies in it goes back to where it was, rather than away.
    func giveBack(puttingBack: Bool) async throws {
        var isCertain = true
        for attempt in 0..<ClaimedWrite.mostAttempts {
            guard try await link.entries(of: names.own) != nil else { return }
            let rest = try names.rest(link.timing.mark())
            let answer = try await link.move(names.claim, to: rest, asFolder: true)
            if answer.code == nil { isCertain = false }
            let own = rest.appending(names.key)
            if let entries = try await link.entries(of: own) {
                if puttingBack, entries.contains(where: { $0.name == ClaimNames.old }), let source = change.source {
                    try await putBack(own.appending(ClaimNames.old), to: source)
                }
                _ = try await link.remove(isCertain ? rest : own, asFolder: true)
                return
            }
            guard attempt + 1 < ClaimedWrite.mostAttempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
    }

    /// Ends the claim of somebody who is gone: what was taken away and not replaced gets its place again.
    func takeOver() async throws {
        let rest = try names.rest(link.timing.mark())
        let answer = try await link.move(names.claim, to: rest, asFolder: true)
        guard let holders = try await link.entries(of: rest) else { return }
        for holder in holders where holder.properties.isFolder {
            let own = rest.appending(holder.name)
            let entries = try await link.entries(of: own) ?? []
            guard entries.contains(where: { $0.name == ClaimNames.old }) else { continue }
            guard let note = try await note(in: own), let source = note.source else {
                write.logger.warning("What lies in \(own.quoted) is of a change that is not known; it is left there.")
                return
            }
            // New contents that are not there any more have their place.
            if note.kind == .put, !entries.contains(where: { $0.name == ClaimNames.new }) { continue }
            try await putBack(own.appending(ClaimNames.old), to: source)
        }
        if answer.isSuccess { _ = try await link.remove(rest, asFolder: true) }
    }

    private func putBack(_ old: RemotePath, to source: RemotePath) async throws {
        let answer = try await link.move(old, to: source, asFolder: false)
        if answer.isSuccess { return }
        guard try await link.lookIfThere(old) != nil else { return }
        let kept = try await write.keep(old, beside: source)
        guard kept.isSuccess else { throw kept.failure }
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
