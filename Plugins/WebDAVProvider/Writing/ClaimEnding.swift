internal import DocumentModel

/// Gives a claim back.
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
            let rest = try ClaimNames.rest(in: names.folder, link.timing.mark())
            let answer = try await link.move(names.claim, to: rest, asFolder: true)
            if answer.code == nil { isCertain = false }
            let own = rest.appending(names.key)
            if let entries = try await link.entries(of: own) {
                if puttingBack, entries.contains(where: { $0.name == ClaimNames.old }), let source = change.source {
                    try await link.restore(own.appending(ClaimNames.old), to: source, write.logger)
                }
                _ = try await link.remove(isCertain ? rest : own, asFolder: true)
                return
            }
            guard attempt + 1 < ClaimedWrite.mostAttempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
    }
}
