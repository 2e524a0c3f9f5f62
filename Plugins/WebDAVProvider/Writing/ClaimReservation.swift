internal import DocumentModel
internal import Logging

/// Reserves the other name that a document is to get, by a claim on it. That lies within the change's own folder until it is
/// moved to its place, which only one of many can do: nobody reserves anything for a change whose claim is gone.
struct ClaimReservation {
    enum Outcome: Sendable {
        /// Whether it is reserved a look at the change's own folder tells.
        case unsure
        case reserved
        case refused(ClaimPlan.Refusal)
    }

    let write: ClaimedWrite
    let change: ClaimedWrite.Change
    let names: ClaimNames
    private var attempts = 0
    private var failures = 0
    /// When others began to be waited for.
    private var began: ContinuousClock.Instant?

    init(write: ClaimedWrite, change: ClaimedWrite.Change, names: ClaimNames) {
        self.write = write
        self.change = change
        self.names = names
    }

    private var link: ServerLink { write.link }

    /// Tries once, and waits a little when it was for nothing.
    mutating func take() async throws -> Outcome {
        guard let reservation = names.reservation else { return .reserved }
        attempts += 1
        let answer = try await link.move(names.place, to: reservation, asFolder: true)
        if answer.isSuccess, failures == 0 {
            failures += 1
            return .unsure
        }
        let claim = ClaimTakeOver(link: link, watch: write.watch, logger: write.logger, claim: reservation)
        switch try await claim.look(for: names.key) {
        // Of an earlier run, or of a request whose answer was lost.
        case .oneself: return .reserved
        case .ended: return .unsure
        case .nobody:
            if answer.code == 409 || answer.code == 404, let folder = change.target.parent,
                try await link.lookIfThere(folder) == nil
            {
                return .refused(.gone)
            }
            failures += 1
            guard failures < ClaimedWrite.mostAttempts else { throw answer.failure }
        case .somebody, .stranger:
            let start = began ?? link.timing.now()
            began = start
            // The document is not kept from others for longer.
            guard link.timing.now() - start < link.timing.patience else { return .refused(.reserved) }
        }
        write.isWaiting()
        try await link.timing.pause(.milliseconds(min(50 * attempts, 500)) * (0.5 + link.timing.chance()))
        return .unsure
    }
}
