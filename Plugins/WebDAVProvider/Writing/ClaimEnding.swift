internal import DocumentModel

/// Gives a claim back.
///
/// The claim is moved to a name that nothing had before, and only then removed: a request that arrives late, or twice,
/// finds either nothing to move or a name that is taken, and never removes the claim of whoever came next. Where an answer
/// was lost, an empty folder stays behind for that. What reserves another name goes last, and into what is removed then: who
/// finds it until then is led to the claim.
struct ClaimEnding {
    let write: ClaimedWrite
    let change: ClaimedWrite.Change
    let names: ClaimNames
    /// The other name is reserved, also when what was to do that is still within the claim.
    let isReserved: Bool

    private var link: ServerLink { write.link }

    /// - Parameter puttingBack: what lies in it goes back to where it was, rather than away.
    func giveBack(puttingBack: Bool) async throws {
        var isCertain = true
        for attempt in 0..<ClaimedWrite.mostAttempts {
            guard let there = try await link.entries(of: names.own) else { return }
            // Before the claim goes, in which whoever misses it finds it.
            if puttingBack, there.contains(where: { $0.name == ClaimNames.old }), let source = change.source {
                try await link.restore(names.old, to: source, write.logger)
            }
            let rest = try ClaimNames.rest(in: names.folder, link.timing.mark())
            let answer = try await link.move(names.claim, to: rest, asFolder: true)
            if answer.code == nil { isCertain = false }
            let own = rest.appending(names.key)
            if let entries = try await link.entries(of: own) {
                if puttingBack, entries.contains(where: { $0.name == ClaimNames.old }), let source = change.source {
                    try await link.restore(own.appending(ClaimNames.old), to: source, write.logger)
                }
                let mayReserve = isReserved || !entries.contains { $0.name == ClaimNames.place }
                if mayReserve, try await !free(into: own) { return }
                _ = try await link.remove(isCertain ? rest : own, asFolder: true)
                return
            }
            guard attempt + 1 < ClaimedWrite.mostAttempts else { throw answer.failure }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
    }

    /// The other name is nobody's again.
    ///
    /// - Parameter own: what is removed next. A request that arrives later than that finds no place to move anything to.
    /// - Returns: false when what is somebody else's has got there, and cannot be moved from there.
    private func free(into own: RemotePath) async throws -> Bool {
        guard let reservation = names.reservation, let folder = reservation.parent else { return true }
        let spent = own.appending(ClaimNames.spent)
        for attempt in 0..<ClaimedWrite.mostAttempts {
            let answer = try await link.move(reservation, to: spent, asFolder: true)
            if let entries = try await link.entries(of: spent) {
                if entries.allSatisfy({ $0.name == names.key }) { return true }
                // This change was taken for dead, and somebody else has come.
                for place in [reservation, try ClaimNames.rest(in: folder, link.timing.mark())] {
                    if try await link.move(spent, to: place, asFolder: true).isSuccess { return true }
                }
                return false
            }
            // There is none: somebody else has ended it.
            if answer.code == 404 { return true }
            // Else who wants the name ends it.
            guard attempt + 1 < ClaimedWrite.mostAttempts else { return true }
            try await link.pause(after: answer, atLeast: .milliseconds(50 << attempt))
        }
        return true
    }
}
