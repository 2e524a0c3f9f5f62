internal import DocumentModel
internal import Logging

/// Gets one change its claim: looks whether it can be made at all, stages what is new, and moves that to where only one
/// can be.
struct ClaimTaking {
    /// What a look at the document tells before anything is sent.
    private enum Prospect {
        /// What the change came to: no claim is needed.
        case outcome(ClaimedWrite.Outcome)
        /// The document is out of sight, in somebody's claim.
        case isClaimed
        case isOpen
    }

    /// More bytes than this are not sent while somebody has the claim anyway.
    private static let fewBytes: Int64 = 1 << 16

    let write: ClaimedWrite
    let change: ClaimedWrite.Change
    let names: ClaimNames
    /// The new contents may have their place already.
    var wasPublished = false
    private(set) var staging: ClaimStaging
    private var attempts = 0
    private var failures = 0
    /// The server has said that it has moved what was staged.
    private var wasMoved = false
    /// When others began to be waited for.
    private var began: ContinuousClock.Instant

    init(write: ClaimedWrite, change: ClaimedWrite.Change, names: ClaimNames) {
        self.write = write
        self.change = change
        self.names = names
        staging = ClaimStaging(write: write, change: change, names: names)
        began = write.link.timing.now()
    }

    private var link: ServerLink { write.link }

    /// Tries once.
    ///
    /// - Returns: what the change came to when no claim is needed; nil to look whether there is one now.
    mutating func take(_ plan: ClaimPlan) async throws -> ClaimedWrite.Outcome? {
        attempts += 1
        if attempts > 1 { try await staging.lookAgain() }
        if wasMoved {
            failures += 1
            guard failures < ClaimedWrite.mostAttempts else {
                throw ServerFailure.interrupted("it says that it has moved a folder, and has not")
            }
            try await pause()
        }
        wasMoved = false
        let isCostly = !staging.isDone && change.contents.map { $0.length > Self.fewBytes } ?? false
        if attempts > 1 || isCostly, try await waitForOthers() { return nil }
        switch try await prospect(plan) {
        case .outcome(let outcome):
            await staging.clear()
            return outcome
        case .isClaimed:
            _ = try await waitForOthers()
            return nil
        case .isOpen: break
        }
        if !staging.isDone {
            guard try await staging.stage() else { return .refused(.gone) }
            // What has taken its time here is nobody's claim.
            began = link.timing.now()
        }
        let answer = try await link.move(staging.folder, to: names.claim, asFolder: true)
        guard !answer.isSuccess else {
            wasMoved = true
            // Mostly the other name is free, and both are looked at together.
            if let reservation = names.reservation {
                _ = try await link.move(names.place, to: reservation, asFolder: true)
            }
            return nil
        }
        write.logger.debug(
            "A claim was not taken.", metadata: ["claim": "\(names.claim.quoted)", "answer": "\(answer)"])
        if answer.code != 412 { failures += 1 }
        guard failures < ClaimedWrite.mostAttempts else { throw answer.failure }
        try await pause()
        return nil
    }

    /// Nothing comes of it.
    mutating func giveUp() async { await staging.clear() }

    /// - Returns: whether somebody else has the claim, and was waited for.
    /// - Throws: `busy` when that takes too long.
    private func waitForOthers() async throws -> Bool {
        let claim = ClaimTakeOver(link: link, watch: write.watch, logger: write.logger, claim: names.claim)
        switch try await claim.look(for: names.key) {
        case .nobody: return false
        case .oneself, .ended: return true
        case .somebody, .stranger:
            try await pause()
            return true
        }
    }

    /// - Throws: `busy` when it has taken too long.
    private func pause() async throws {
        guard link.timing.now() - began < link.timing.patience else {
            let name = (change.source ?? change.target).quoted
            throw DocumentError(.busy, "\(name) is being changed by somebody else; try again in a moment.")
        }
        write.isWaiting()
        try await link.timing.pause(.milliseconds(min(50 * attempts, 500)) * (0.5 + link.timing.chance()))
    }

    /// What can be said without a claim.
    private func prospect(_ plan: ClaimPlan) async throws -> Prospect {
        if let source = change.source {
            var found = try await lookPatiently(source)
            if found == nil {
                if try await link.entries(of: names.claim) != nil { return .isClaimed }
                // It may have been put back before that was asked.
                found = try await link.lookIfThere(source)
            }
            guard let look = found else { return .outcome(change.kind == .remove ? .done(nil) : .refused(.gone)) }
            if let objection = plan.objection(to: look.properties) {
                if change.isInPlace, let made = try await madeBefore(look.properties) { return .outcome(.done(made)) }
                return .outcome(.refused(objection))
            }
            try await waitForClock(look)
        }
        guard !change.isInPlace, change.kind != .remove else { return .isOpen }
        guard let target = try await link.lookIfThere(change.target)?.properties else { return .isOpen }
        if wasPublished, let made = try await madeBefore(target) { return .outcome(.done(made)) }
        return .outcome(.refused(.taken))
    }

    /// What is being changed is out of sight for a moment.
    private func lookPatiently(_ path: RemotePath) async throws -> ServerLink.Look? {
        if let look = try await link.lookIfThere(path) { return look }
        try await link.timing.pause(link.timing.gap)
        return try await link.lookIfThere(path)
    }

    /// Equal contents are no conflict, whoever wrote them: mostly it was this change, whose answer was lost.
    private func madeBefore(_ properties: Properties) async throws -> Properties? {
        guard let contents = change.contents, !properties.isFolder,
            properties.length ?? contents.length == contents.length,
            try await link.hasContents(change.target, of: contents, isWaiting: write.isWaiting),
            let after = try await link.lookIfThere(change.target)?.properties,
            after.contentVersion == properties.contentVersion
        else { return nil }
        try write.record(after)
        return after
    }

    /// What is staged now gets a later date than what it replaces, where dates tell versions apart (RS-2).
    private func waitForClock(_ look: ServerLink.Look) async throws {
        guard change.kind == .put, !change.hasExactTags, !staging.isDone, let modified = look.properties.modified,
            var date = look.date
        else { return }
        while date <= modified, modified <= date + 1 {
            write.isWaiting()
            try await link.timing.pause(.milliseconds(300))
            guard let next = try await link.lookIfThere(.root)?.date else { return }
            date = next
        }
    }
}
